package harness

// operationOfOpencode returns the operation that a tool of the CLI is, or "" if it is none
// of those known, or several at once (spec HRN-5, HRN-6).
func operationOfOpencode(tool string) string {
	switch tool {
	case "question":
		return "ask_user"
	case "bash":
		return "bash"
	case "codesearch":
		return "code_search"
	case "edit", "multiedit":
		return "edit_file"
	case "glob":
		return "glob"
	case "grep":
		return "grep"
	case "list":
		return "list_files"
	case "lsp":
		return "lsp"
	case "plan_enter":
		return "plan_enter"
	case "plan_exit":
		return "plan_exit"
	case "read":
		return "read_file"
	case "skill":
		return "skill"
	case "task":
		return "spawn_agent"
	case "todoread":
		return "task_list"
	case "todowrite":
		return "task_update"
	case "webfetch":
		return "web_fetch"
	case "websearch":
		return "web_search"
	case "write":
		return "write_file"
	default:
		return ""
	}
}
