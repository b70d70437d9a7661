package harness

// operationOfCopilot returns the operation that a tool of the CLI is, or "" if it is none
// of those known, or several at once (spec HRN-5, HRN-6).
func operationOfCopilot(tool string) string {
	switch tool {
	case "write_agent":
		return "agent_message"
	case "list_agents", "read_agent":
		return "agent_status"
	case "ask_user":
		return "ask_user"
	case "bash":
		return "bash"
	case "semantic_code_search":
		return "code_search"
	case "edit", "str_replace_editor":
		return "edit_file"
	case "glob":
		return "glob"
	case "grep", "rg":
		return "grep"
	case "powershell":
		return "powershell"
	case "view":
		return "read_file"
	case "write_bash", "write_powershell":
		return "shell_input"
	case "list_bash", "list_powershell":
		return "shell_list"
	case "read_bash", "read_powershell":
		return "shell_output"
	case "stop_bash", "stop_powershell":
		return "shell_stop"
	case "skill":
		return "skill"
	case "task":
		return "spawn_agent"
	case "session_store_sql", "sql":
		return "sql"
	case "update_todo":
		return "task_update"
	case "fetch_copilot_cli_documentation", "tool_search":
		return "tool_search"
	case "web_fetch":
		return "web_fetch"
	case "create":
		return "write_file"
	default:
		return ""
	}
}
