"""Kinds of lines that are known and say nothing of their own: repetitions, settings, counters, undo data.

Sources: formats/transcripts.md 2.2, 2.4, 2.5, and the enums of openai/codex (`rollout/src/policy.rs`,
`protocol/src/{protocol,models,items}.rs`) as far as they were public in October 2026. What is in none of these sets is
kept as a gap: a name too many costs nothing, one too few costs a gap for every such line.
"""

LINES = frozenset(
    {
        "world_state",
        "inter_agent_communication_metadata",
        "token_usage_record",  # 0.153: the figures of token_count, per call to the model
    }
)
ITEMS = frozenset(
    {
        "compaction",
        "compaction_summary",
        "context_compaction",
        "compaction_trigger",
        "configuration_update",
        "additional_tools",
        "ghost_snapshot",
        "other",
    }
)
EVENT_NAMES = """
    user_message injected_message agent_message agent_message_delta agent_message_content_delta agent_reasoning
    agent_reasoning_delta agent_reasoning_raw_content agent_reasoning_raw_content_delta agent_reasoning_section_break
    reasoning_content_delta reasoning_raw_content_delta raw_response_item
    task_started turn_started task_complete turn_complete token_count turn_diff turn_moderation_metadata
    exec_command_begin exec_command_output_delta exec_approval_request terminal_interaction
    patch_apply_begin patch_apply_updated apply_patch_approval_request
    mcp_tool_call_begin mcp_tool_call_progress mcp_list_tools_response mcp_startup_update mcp_startup_complete
    web_search_begin web_search_end view_image_tool_call image_generation_begin image_generation_end
    dynamic_tool_call_request request_permissions request_user_input elicitation_request
    context_compacted thread_rolled_back thread_settings_applied thread_goal_updated
    entered_review_mode exited_review_mode guardian_assessment safety_buffering
    collab_agent_spawn_begin collab_agent_spawn_end collab_agent_interaction_begin collab_agent_interaction_end
    collab_waiting_begin collab_waiting_end collab_close_begin collab_close_end collab_resume_begin collab_resume_end
    sub_agent_activity undo_started undo_completed item_started plan_update plan_delta hook_started hook_completed
    warning stream_error stream_info background_event deprecation_notice model_reroute model_verification
    session_configured shutdown_complete conversation_path get_history_entry_response
    list_custom_prompts_response list_skills_response list_remote_skills_response skills_update_available
    add_credits_nudge_email_response realtime_conversation_started realtime_conversation_sdp
    realtime_conversation_realtime realtime_conversation_closed realtime_conversation_list_voices_response
"""
EVENTS = frozenset(EVENT_NAMES.split())
TURN_ITEM_NAMES = """
    UserMessage HookPrompt AgentMessage Plan Reasoning CommandExecution DynamicToolCall CollabAgentToolCall
    SubAgentActivity WorkSwarmActivity WebSearch ImageView Sleep ImageGeneration FileChange McpToolCall
    ContextCompaction Extension EnteredReviewMode ExitedReviewMode
"""
TURN_ITEMS = frozenset(TURN_ITEM_NAMES.split())
"""What `item_completed` wraps. The text of a Plan stands in the assistant's message too, as `<proposed_plan>`."""
