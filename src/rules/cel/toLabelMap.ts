/** Labels as an expression sees them: one that an alert lacks reads as ''. */
export function toLabelMap(labels: Readonly<Record<string, string>>): Map<string, string> {
  const map = new Map(Object.entries(labels))
  const present = map.get.bind(map)
  // Not a subclass: CEL recognises a map by its constructor.
  map.get = (name) => present(name) ?? ''
  return map
}
