package harness

// operationOfGemini returns the operation that a tool of the CLI is, or "" if it is none
// of those known, or several at once (spec HRN-5, HRN-6).
func operationOfGemini(tool string) string {
	switch tool {
	case "ask_user":
		return "ask_user"
	case "run_shell_command":
		return "bash"
	case "replace":
		return "edit_file"
	case "glob":
		return "glob"
	case "grep_search":
		return "grep"
	case "list_directory":
		return "list_files"
	case "get_internal_docs", "list_mcp_resources", "read_mcp_resource":
		return "mcp_resource"
	case "enter_plan_mode":
		return "plan_enter"
	case "exit_plan_mode":
		return "plan_exit"
	case "read_file", "read_many_files":
		return "read_file"
	case "update_topic":
		return "session_note"
	case "list_background_processes":
		return "shell_list"
	case "read_background_output":
		return "shell_output"
	case "activate_skill":
		return "skill"
	case "invoke_agent":
		return "spawn_agent"
	case "write_todos":
		return "task_update"
	case "web_fetch":
		return "web_fetch"
	case "google_web_search":
		return "web_search"
	case "write_file":
		return "write_file"
	default:
		return ""
	}
}
