# ‮a‬
policy "a" {
  match = {} # 
  acton  = "deny"
}

provider "x" {
  note = "abc‏"
}

# x = defaults {}
