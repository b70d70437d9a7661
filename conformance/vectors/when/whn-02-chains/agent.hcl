defaults {
  resource = "allow"
}

policy "e1" {
  match  = { operation = "e1" }
  when   = input.a0 || input.a1 || input.a2 || input.a3 || input.a4 || input.a5 || input.a6 || input.a7 || input.a8 || input.a9 || input.a10 || input.a11 || input.a12 || input.a13 || input.a14 || input.a15 || input.a16 || input.a17 || input.a18 || input.a19 || input.a20 || input.a21 || input.a22 || input.a23 || input.a24 || input.a25 || input.a26 || input.a27 || input.a28 || input.a29 || input.a30 || input.a31 || input.a32 || input.a33 || input.a34 || input.a35 || input.a36 || input.a37 || input.a38 || input.a39 || input.a40 || input.a41 || input.a42 || input.a43 || input.a44 || input.a45 || input.a46 || input.a47 || input.a48 || input.a49 || input.a50 || input.a51 || input.a52 || input.a53 || input.a54 || input.a55 || input.a56 || input.a57 || input.a58 || input.a59
  action = "deny"
}
