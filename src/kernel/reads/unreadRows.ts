/** Of which hashes that were asked for rows may be that could not be read: one that names none of them may be of each. */
export function mayBeUnread(
  rows: readonly { readonly raw: string }[],
  hashes: readonly string[],
): (hash: string) => boolean {
  const asked = hashes.map((hash) => hash.toLowerCase())
  const raws = rows.map(({ raw }) => raw.toLowerCase())
  const isOfAny = raws.some((raw) => !asked.some((hash) => raw.includes(hash)))
  return (hash) => isOfAny || raws.some((raw) => raw.includes(hash))
}
