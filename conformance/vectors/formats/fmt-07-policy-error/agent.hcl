policy "all" {
  match = {}
}
