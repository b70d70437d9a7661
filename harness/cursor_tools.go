package harness

// operationOfCursor returns the operation that a tool of the CLI is, or "" if it is none
// of those known, or several at once (spec HRN-5, HRN-6).
func operationOfCursor(tool string) string {
	switch tool {
	case "Shell":
		return "bash"
	case "Delete":
		return "delete_file"
	case "Grep":
		return "grep"
	case "Read":
		return "read_file"
	case "Task":
		return "spawn_agent"
	default:
		return ""
	}
}
