package harness

import "github.com/plangate/plangate"

// classify returns kind and risk of an operation of a CLI's own, the same for all
// CLIs. What is not known is a resource of high risk. It is a switch because a map
// would be made at each start; a test holds it to the catalogs.
func classify(operation string) (plangate.Kind, plangate.Risk) {
	switch operation {
	case "agent_status", "code_search", "glob", "grep", "list_files", "lsp", "mcp_resource",
		"read_file", "schedule_list", "shell_list", "shell_output", "task_list", "tool_search",
		"wait", "web_fetch", "web_search":
		return plangate.DataSource, plangate.ReadOnly
	case "ask_user", "plan_enter", "plan_exit":
		return plangate.Interactive, plangate.ReadOnly
	case "spawn_agent", "workflow":
		return plangate.Resource, plangate.Critical
	case "agent_stop", "session_note", "shell_stop", "task_create", "task_update":
		return plangate.Resource, plangate.Low
	case "agent_message", "apply_patch", "delete_file", "edit_file", "notebook_edit", "schedule",
		"send_message", "skill", "sql", "worktree", "write_file":
		return plangate.Resource, plangate.Moderate
	default:
		return plangate.Resource, plangate.High
	}
}
