package harness

// operationOfClaude returns the operation that a tool of the CLI is, or "" if it is none
// of those known, or several at once (spec HRN-5, HRN-6).
func operationOfClaude(tool string) string {
	switch tool {
	case "SendMessage":
		return "agent_message"
	case "ListAgents":
		return "agent_status"
	case "AskUserQuestion":
		return "ask_user"
	case "Bash":
		return "bash"
	case "Edit", "MultiEdit":
		return "edit_file"
	case "Glob":
		return "glob"
	case "Grep":
		return "grep"
	case "LSP":
		return "lsp"
	case "ListMcpResourcesTool", "ReadMcpResourceDirTool", "ReadMcpResourceTool":
		return "mcp_resource"
	case "NotebookEdit":
		return "notebook_edit"
	case "EnterPlanMode":
		return "plan_enter"
	case "ExitPlanMode":
		return "plan_exit"
	case "PowerShell":
		return "powershell"
	case "Read":
		return "read_file"
	case "CronCreate", "CronDelete", "ScheduleWakeup":
		return "schedule"
	case "CronList":
		return "schedule_list"
	case "ReportFindings":
		return "session_note"
	case "BashOutput", "TaskOutput":
		return "shell_output"
	case "KillShell", "TaskStop":
		return "shell_stop"
	case "Skill":
		return "skill"
	case "Agent", "Task":
		return "spawn_agent"
	case "TaskCreate":
		return "task_create"
	case "TaskGet", "TaskList":
		return "task_list"
	case "TaskUpdate", "TodoWrite":
		return "task_update"
	case "ToolSearch":
		return "tool_search"
	case "WebFetch":
		return "web_fetch"
	case "WebSearch":
		return "web_search"
	case "Workflow":
		return "workflow"
	case "EnterWorktree", "ExitWorktree":
		return "worktree"
	case "Write":
		return "write_file"
	default:
		return ""
	}
}
