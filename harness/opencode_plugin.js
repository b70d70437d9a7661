// Plangate for OpenCode: asks `policyctl hook opencode` before every tool call.
// Written by `policyctl init opencode`. Do not edit: run init again instead.
//
// To throw is to deny here, and to return is to let the call go its way. So every path
// through this file that is not an answer of policyctl throws: the program is missing,
// crashes, is killed, is slow, or says anything but one object that is understood.
import { spawn } from "node:child_process"

const command = ["policyctl", "hook", "opencode"]
const limit = 9000 // milliseconds; policyctl answers by itself before that
const largest = 8 << 20 // bytes of an answer

function ask(payload) {
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error("Plangate: the policy gate gives no answer, so this call is denied: " + why))
    let child
    try {
      child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    } catch (error) {
      fail(String(error))
      return
    }
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      fail("it took longer than " + limit / 1000 + " s")
    }, limit)
    let text = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (chunk) => {
      text += chunk
      if (text.length > largest) {
        child.kill("SIGKILL")
        fail("its answer is too long")
      }
    })
    child.stdin.on("error", () => {}) // it ended without reading; "close" tells how
    child.on("error", (error) => {
      clearTimeout(timer)
      fail(command[0] + " cannot be run: " + error.message)
    })
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (code !== 0) fail(command[0] + " ended with " + (signal || "exit code " + code))
      else resolve(text)
    })
    child.stdin.end(payload)
  })
}

function read(text) {
  const bad = () => new Error("Plangate: the policy gate gives an answer that cannot be read, so this call is denied")
  let answer
  try {
    answer = JSON.parse(text)
  } catch {
    throw bad()
  }
  if (answer === null || typeof answer !== "object" || Array.isArray(answer)) throw bad()
  for (const key of Object.keys(answer)) {
    if (!["decision", "reason", "input"].includes(key)) throw bad()
  }
  switch (answer.decision) {
    case "none":
      return undefined
    case "allow":
      if (answer.input === undefined) return undefined
      if (answer.input === null || typeof answer.input !== "object" || Array.isArray(answer.input)) throw bad()
      return answer.input
    case "deny":
      throw new Error("Plangate: " + (answer.reason || "the policy gate denies this call."))
    default:
      throw bad()
  }
}

// The names of MCP servers tell where "server_tool" splits. Without them policyctl
// judges every way to split it.
async function servers(client) {
  try {
    const config = await client.config.get()
    return Object.keys((config && config.data && config.data.mcp) || {})
  } catch {
    return []
  }
}

export const Plangate = async ({ client, directory, worktree }) => {
  let known
  return {
    "tool.execute.before": async (input, output) => {
      known ??= servers(client)
      const payload = JSON.stringify({
        version: 1,
        hook_event_name: "tool.execute.before",
        tool_name: input.tool,
        input: { tool: input.tool, sessionID: input.sessionID, callID: input.callID },
        tool_input: output.args ?? {},
        directory,
        worktree,
        mcp_servers: await Promise.race([known, new Promise((done) => setTimeout(done, 1000, []))]),
      })
      const replaced = read(await ask(payload))
      if (replaced === undefined) return
      for (const key of Object.keys(output.args)) delete output.args[key]
      Object.assign(output.args, replaced)
    },
  }
}
