package harness

// operationOfAmp returns the operation that a tool of the CLI is, or "" if it is none
// of those known, or several at once (spec HRN-5, HRN-6).
func operationOfAmp(tool string) string {
	switch tool {
	case "ask_user_choice":
		return "ask_user"
	case "Bash", "async_shell_command", "shell_command":
		return "bash"
	case "delete_file":
		return "delete_file"
	case "edit_file":
		return "edit_file"
	case "Glob":
		return "glob"
	case "Grep":
		return "grep"
	case "Read", "view_media":
		return "read_file"
	case "send_email":
		return "send_message"
	case "shell_command_status":
		return "shell_output"
	case "shell_command_kill":
		return "shell_stop"
	case "skill":
		return "skill"
	case "Task", "oracle":
		return "spawn_agent"
	case "read_web_page":
		return "web_fetch"
	case "web_search":
		return "web_search"
	case "create_file":
		return "write_file"
	default:
		return ""
	}
}
