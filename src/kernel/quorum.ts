import type { Agreement } from '../bridge/agreement.ts'
import type { Chain } from '../bridge/observation.ts'
import type { Seat } from '../clients/seat.ts'
import { findOdd, type Odd, type Word } from './sources/compareWords.ts'
import type { Kernel } from './kernel.ts'
import { noteWords } from './sources/sourceWords.ts'

/** Something that rests on absence or on a balance, as one source said it, and how the others are asked the same. */
export interface Accusation<T> {
  readonly chain: Chain
  /** What kind of question: `transaction`, `record`, `balance`, `supply`. */
  readonly what: string
  /** What is asked about: a hash, an address. */
  readonly about: string
  /** The word that accuses; whoever agrees says the same. */
  readonly says: string
  /** @returns null where the source cannot tell: it has not come so far, or does not show what is known to be there */
  ask(client: T, signal: AbortSignal): Promise<string | null>
}

/** A seat by the name that messages call it. */
export interface NamedSeat<T> {
  readonly name: 'explorer' | 'canonical' | 'preconf' | 'zoneRpc'
  readonly seat: Pick<Seat<T>, 'current' | 'members' | 'note' | 'quorum'>
}

/**
 * Whether as many sources say it as have to. All of the seat are asked at once, each for no longer than one request takes:
 * those that do not answer hold up nothing, so that an accusation is put off and never lost. Where they contradict each
 * other there is none; that is kept for `source.differs`.
 * @returns who says it; null where it may not be said
 */
export async function askQuorum<T extends { readonly host: string }>(
  of: Pick<Kernel, 'commit' | 'db'>,
  { name, seat }: NamedSeat<T>,
  accusation: Accusation<T>,
  signal: AbortSignal,
): Promise<Agreement | null> {
  const current = seat.current().name
  const { chain, what, about, says } = accusation
  const note = (agreement: Agreement | null, odd: Odd | null) =>
    void of.commit({
      apply: (now) => (noteWords(of.db, { chain, what, about }, { agreement, odd }, now), []),
    })
  if (seat.quorum === 1) {
    const alone = { by: [current], silent: [] }
    note(alone, null)
    return alone
  }
  const words = await Promise.all(
    seat.members.map(async (member) => ({
      name: member.name,
      host: member.client.host,
      says: await askOne(accusation, member.client, signal),
    })),
  )
  signal.throwIfAborted()
  const verdict = judgeWords(words, { says, current, quorum: seat.quorum })
  const odd = findOdd(words.map((one) => ({ ...one, name: `${name} ${one.name}` })))
  if (odd !== null && !odd.isTie)
    for (const member of seat.members)
      if (odd.names.includes(`${name} ${member.name}`)) seat.note(member, true)
  note(verdict, odd)
  return verdict
}

/** Null where it could not be asked. */
async function askOne<T>(accusation: Accusation<T>, client: T, signal: AbortSignal): Promise<string | null> {
  try {
    return await accusation.ask(client, signal)
  } catch {
    // Why is in the health of the source.
    return null
  }
}

interface HostWord extends Word {
  readonly host: string
}

/**
 * What the words of several sources come to. Of one host there is one source, whatever its names. Who accused and does
 * not answer now has said it; who says otherwise now is contradicted by himself, and says it no more.
 * @returns who says it; null where fewer than the quorum do and somebody says otherwise
 */
export function judgeWords(
  words: readonly HostWord[],
  { says, current, quorum }: { readonly says: string; readonly current: string; readonly quorum: number },
): Agreement | null {
  const said = words.map((one) => ({ ...one, says: one.says ?? (one.name === current ? says : null) }))
  const byHost = new Map(said.filter((one) => one.says === says).map((one) => [one.host, one.name]))
  const isContradicted = said.some((one) => one.says !== null && one.says !== says)
  if (byHost.size === 0 || (isContradicted && byHost.size < quorum)) return null
  const silent = said.filter((one) => one.says === null && !byHost.has(one.host)).map(({ name }) => name)
  return { by: [...byHost.values()], silent }
}
