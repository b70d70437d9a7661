decision_hook {
  command = ["decide"]
  timeout = "0s"
}

approvals {
  expires_in = "721h"
}
