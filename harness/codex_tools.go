package harness

// operationOfCodex returns the operation that a tool of the CLI is, or "" if it is none
// of those known, or several at once (spec HRN-5, HRN-6).
func operationOfCodex(tool string) string {
	switch tool {
	case "collaborationfollowup_task", "collaborationsend_message", "multi_agent_v1resume_agent",
		"multi_agent_v1send_input", "resume_agent", "send_input":
		return "agent_message"
	case "collaborationlist_agents", "collaborationwait_agent", "multi_agent_v1wait_agent", "wait_agent":
		return "agent_status"
	case "close_agent", "collaborationinterrupt_agent", "multi_agent_v1close_agent":
		return "agent_stop"
	case "request_user_input", "request_user_input_async":
		return "ask_user"
	case "Bash":
		return "bash"
	case "list_mcp_resource_templates", "list_mcp_resources", "read_mcp_resource":
		return "mcp_resource"
	case "view_image":
		return "read_file"
	case "request_permission_preset", "request_permissions":
		return "request_permissions"
	case "send_message_to_user_async":
		return "session_note"
	case "collaborationspawn_agent", "spawn_agent":
		return "spawn_agent"
	case "create_goal":
		return "task_create"
	case "get_goal":
		return "task_list"
	case "update_goal", "update_plan":
		return "task_update"
	case "tool_search":
		return "tool_search"
	case "clocksleep":
		return "wait"
	default:
		return ""
	}
}
