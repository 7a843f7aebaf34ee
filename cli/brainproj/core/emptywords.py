"""English words that say nothing of what is looked for: the closed classes of words, and verbs that stand for others.

They count where they are quoted. Words of no closed class are left in, however common: `file`, `test` and `error` are
what people look for.
"""

_DETERMINERS = """
a an the this that these those some any no none each every either neither both all few many much more most less least
several such same other another own enough
"""
_PRONOUNS = """
i me my mine we us our ours you your yours he him his she her hers it its they them their theirs one ones who whom whose
what which someone anyone everyone nobody something anything everything nothing thing things
"""
_PREPOSITIONS_AND_CONJUNCTIONS = """
about above across after against along among around as at before behind below beneath beside besides between beyond by
despite down during except for from in inside into like near of off on onto out outside over past per since through
throughout to toward towards under until up upon via with within without and or but nor so yet if because although
though while whereas whether than unless instead rather
"""
_AUXILIARIES = """
am is are was were be been being do does did doing done have has had having can could may might must shall should will
would ought let lets s t d ll m re ve don doesn didn isn wasn aren weren won couldn shouldn wouldn hasn haven
"""
_LIGHT_VERBS = """
get gets got getting make makes made making take takes took taken taking give gives gave given go goes went gone going
come comes came coming put puts use uses used using want wants wanted need needs needed know knows knew known mean means
meant say says said tell tells told explain explains happen happens happened please
"""
_ADVERBS = """
not never ever again already also always here there then when where why how just now only still too very really quite
even perhaps maybe almost
"""
_CLASSES = (_DETERMINERS, _PRONOUNS, _PREPOSITIONS_AND_CONJUNCTIONS, _AUXILIARIES, _LIGHT_VERBS, _ADVERBS)
EMPTY_WORDS = frozenset(word for words in _CLASSES for word in words.split())
