import { findEntry, listHeldShares, listShares } from '../../breaks/entryStore.ts'
import type { HandedEntry } from './handed.ts'
import { nameBreak } from './names.ts'
import { withWay } from './takeCase.ts'
import type { Taken, Taking } from './taking.ts'

const whats = { match: 'matched', 'write off': 'written off' } as const

/** What somebody settled of what does not reconcile, or took back. */
export function takeEntry(taking: Taking, of: HandedEntry): Taken {
  const { db, operations, actor, way } = taking
  const names = of.of.map((one) => nameBreak(db, one)).filter((name) => name !== null)
  const [first, second] = names
  if (first === undefined || names.length < of.of.length)
    return { wait: 'the transfer that it is about is not known here' }
  const reason = withWay(of.reason, way, 500)
  if (of.do === 'undo') {
    const entry = findHeld(taking, names, null)
    if (entry === null) return { done: 'nothing holds of it here' }
    return { done: operations.undoEntry({ entry: `e${entry}`, reason }, actor).id }
  }
  const held = findHeld(taking, names, whats[of.do])
  if (held !== null) return { done: `e${held} says so already` }
  if (of.do === 'write off') return { done: operations.writeOffBreak({ name: first, reason }, actor).id }
  if (second === undefined) return { wait: 'a matching has two sides' }
  // Whoever did it there saw both.
  const match = { payout: first, origin: second, reason, force: true }
  return { done: operations.matchBreaks(match, actor).id }
}

/** An entry that was not taken back and settles just these. */
function findHeld({ db }: Pick<Taking, 'db'>, names: readonly string[], what: string | null): number | null {
  const [first] = names
  const shares = first === undefined ? [] : (listHeldShares(db).get(first) ?? [])
  const entries = shares.map(({ entryId }) => entryId)
  return (
    entries.findLast((id) => {
      const settled = listShares(db, id).map(({ name }) => name)
      const isSame = settled.length === names.length && settled.every((name) => names.includes(name))
      return isSame && (what === null || findEntry(db, id)?.what === what)
    }) ?? null
  )
}
