# every task of the project; `just check` is what CI runs

# list the tasks
default:
    @just --list

# everything that must hold before a change lands, but the tests themselves
check: format-check lint types completions-check readme-check lean-check

# the whole suite
test:
    uv run pytest

# write the code in its one format
format:
    uv run ruff format cli tests
    uv run ruff check --fix cli tests

format-check:
    uv run ruff format --check cli tests

lint:
    uv run ruff check cli tests
    uv run pytest -q -n 0 tests/test_layers.py

types:
    uv run mypy

# write completions/ anew
completions:
    uv run brainproj completion bash > completions/brainproj.bash
    uv run brainproj completion zsh > completions/_brainproj
    uv run brainproj completion fish > completions/brainproj.fish

completions-check:
    uv run pytest -q -n 0 tests/commands/test_completion.py

# run every command that the README shows
readme-check:
    uv run pytest -q -n 0 tests/test_readme.py

# the tool without any development package: install it alone, and use it
lean-check:
    #!/usr/bin/env bash
    set -euo pipefail
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    uv venv --quiet "$folder/venv"
    uv pip install --quiet --python "$folder/venv/bin/python" .
    cd "$folder"
    HOME="$folder" "$folder/venv/bin/brainproj" demo > "$folder/out.txt" 2> "$folder/err.txt" || { cat "$folder/err.txt"; exit 1; }
    grep -q '<project-memory project="harbor"' "$folder/out.txt"
    grep -q '<project-memory project="lantern"' "$folder/out.txt"
    HOME="$folder" "$folder/venv/bin/brainproj" install claude --yes --no-backfill 2> "$folder/err.txt" || { cat "$folder/err.txt"; exit 1; }
    grep -q '<project-memory>' "$folder/.claude/skills/brainproj/SKILL.md"
    HOME="$folder" "$folder/venv/bin/brainproj" --version

# the figures of the README on a small corpus; needs the benchmark folder beside the checkout
bench corpus_mb="48":
    #!/usr/bin/env bash
    set -euo pipefail
    work=${TMPDIR:-/tmp}/brainproj-bench
    mkdir -p "$work"
    python=$(uv run python -c 'import sys; print(sys._base_executable)')
    corpus=$work/corpus-{{corpus_mb}}
    [ -e "$corpus" ] || "$python" ../shared/bench/make_corpus.py --out "$corpus" --mb {{corpus_mb}} --sessions 300 --projects 12 --repos "$work/repos"
    "$python" ../shared/bench/floors.py --corpus "$corpus" --work "$work/work" --python "$python" --runs 7 \
        --only build,search,rescan,product --brainproj .venv/bin/brainproj --typer-python .venv/bin/python

# how well questions find the passages that answer them; on seeds under 100 the ranking was worked on
bench-recall seeds="100-107":
    uv run python -m tests.bench.recall --seeds {{seeds}}

# how long a hook takes in the situations that matter, as the README's table has it
bench-hooks runs="60":
    uv run python -m tests.bench.hooks --runs {{runs}}
