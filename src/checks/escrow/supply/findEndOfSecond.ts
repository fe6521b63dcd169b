/**
 * The newest block below a height that is the last of its second. Nodes give whole seconds, records finer ones: of a block
 * with others of its second behind it nobody knows which records are in it, of the last one all of that second are.
 * @param timeOf the second of a block; null where the node does not give it
 * @returns null where a block's time is not given, or there is no earlier second
 */
export async function findEndOfSecond(
  timeOf: (height: number) => Promise<number | null>,
  height: number,
): Promise<{ readonly height: number; readonly time: number } | null> {
  const second = await timeOf(height)
  if (second === null) return null
  // From here on the blocks are of that second.
  let first = height
  let before: { readonly height: number; readonly time: number } | null = null
  for (let step = 1; before === null || before.height < first - 1; step *= 2) {
    const next: number = before === null ? first - step : Math.floor((before.height + first) / 2)
    const time = next < 0 ? null : await timeOf(next)
    if (time === null) return null
    if (time < second) before = { height: next, time }
    else first = next
  }
  return before
}
