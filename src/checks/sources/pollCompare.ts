import { isMint } from '../../bridge/mint.ts'
import type { Chain } from '../../bridge/observation.ts'
import { listHeads } from '../../kernel/heads/heads.ts'
import type { Seat } from '../../clients/seat.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Holding } from '../../kernel/reads/balanceReads.ts'
import type { UnixMs } from '../../lib/clock.ts'
import {
  type Difference,
  findOdd,
  noteDifferences,
  type Standing,
  subjectOf,
  type Word,
} from '../../kernel/sources/compareWords.ts'
import {
  type AskLines,
  explorerWitness,
  nodeWitness,
  type ShownHead,
  type Witness,
} from '../../kernel/sources/witnesses.ts'
import { hash } from '../../store/hash.ts'
import { listAsked, listKnownHashes } from '../../ledger/evidence/evidence.ts'

type Comparing = Pick<Kernel, 'clock' | 'config' | 'db' | 'explorers' | 'rpcs'>

/** What several sources of one chain say otherwise, as a record that its poller writes. */
export interface Compared {
  /** Null before the first comparison. */
  differences: readonly Standing[] | null
  /** What may have been told before: of it nothing is known until it was compared. */
  readonly possible: readonly string[]
}

export const compareMs = 30_000
/** A head that is older than the newest one by more is behind. */
const behindMs = 60_000
/** Blocks below the lowest head: nearer to it one may still be replaced. */
const depth = 5
/** The newest transactions that others were asked about. */
const maxTransactions = 10
/** Others that the explorer knew when they were asked for: whoever shows nothing at all is not believed. */
const maxControls = 3
const maxBalances = 8
/** What is filled in later than so long after it was over is no difference of sources. */
const filledMs = 120_000

/** The chains of which several sources of one kind are named, each with all who show it. */
export function listGroups(
  of: Comparing,
): { readonly chain: Chain; readonly witnesses: readonly Witness[] }[] {
  const { clock, explorers, rpcs } = of
  const nodes = { main: ['canonical', 'preconf'], zone: ['zoneRpc'] } as const
  return (['main', 'zone'] as const).flatMap((chain) => {
    const seats = nodes[chain].flatMap((name) => {
      const members = rpcs.seats[name]?.members ?? []
      return members.length === 0 ? [] : [{ name, members }]
    })
    const isSeveral = explorers.members.length > 1 || seats.some(({ members }) => members.length > 1)
    if (!isSeveral) return []
    return [
      {
        chain,
        witnesses: [
          ...seats.flatMap(({ name: seat, members }) =>
            members.map(({ name, client }) => nodeWitness(`${seat} ${name}`, client, clock)),
          ),
          ...explorers.members.map(({ name, client }) => explorerWitness(`explorer ${name}`, client, chain)),
        ],
      },
    ]
  })
}

/** Every subject that these sources can be told under. */
export function listPossible(groups: ReturnType<typeof listGroups>): string[] {
  return groups.flatMap(({ chain, witnesses }) => {
    const all = witnesses.map(({ name }) => name)
    const tied = [all, ...all.flatMap((one, at) => all.slice(at + 1).map((other) => [one, other]))]
    const names = [...all.map((name) => [name]), ...tied.map((some) => some.toSorted())]
    return kinds.flatMap((what) =>
      names.map((some) => subjectOf({ chain, what, about: '', names: some, isTie: false, says: '' })),
    )
  })
}

const kinds = ['silent', 'head', 'block', 'receipt', 'balance', 'record', 'transaction', 'supply']

/** Asks all sources of a chain the same, one after the other kind of question, and keeps who differs. */
export function createComparePoll(
  comparing: Comparing,
  compared: Compared,
): (signal: AbortSignal) => Promise<void> {
  const groups = listGroups(comparing)
  return async (signal) => {
    for (const { chain, witnesses } of groups) {
      const found = await compareChain(comparing, { chain, witnesses }, signal)
      signal.throwIfAborted()
      for (const { names, isTie } of found) if (!isTie) restThose(comparing, names)
      compared.differences = noteDifferences(compared.differences ?? [], chain, found, comparing.clock.now())
    }
  }
}

/** Who differs from the others gives up his place to one of them. */
function restThose({ explorers, rpcs }: Comparing, names: readonly string[]): void {
  restMembers('explorer', explorers, names)
  for (const seat of ['canonical', 'preconf', 'zoneRpc'] as const)
    if (rpcs.seats[seat]) restMembers(seat, rpcs.seats[seat], names)
}

function restMembers<T>(seatName: string, seat: Seat<T>, names: readonly string[]): void {
  const odd = seat.members.filter(({ name }) => names.includes(`${seatName} ${name}`))
  if (odd.length < seat.members.length) for (const member of odd) seat.note(member, true)
}

async function compareChain(
  comparing: Comparing,
  { chain, witnesses }: { readonly chain: Chain; readonly witnesses: readonly Witness[] },
  signal: AbortSignal,
): Promise<Difference[]> {
  const known = listHeads(comparing.db).find((head) => head.chain === chain)?.height ?? null
  const heads = await askAll(witnesses, (one) => one.head(known === null ? null : known - depth, signal))
  signal.throwIfAborted()
  const asOne = (what: string, about: string, words: readonly Word[]): Difference[] => {
    const odd = findOdd(words)
    return odd === null ? [] : [{ chain, what, about, ...odd }]
  }
  const silent = judgeSilent(heads).map((odd): Difference => ({ chain, what: 'silent', about: '', ...odd }))
  const behind = judgeBehind(heads).map((odd): Difference => ({ chain, what: 'head', about: '', ...odd }))
  const left = witnesses.filter(
    ({ name }) => ![...silent, ...behind].some(({ names }) => names.includes(name)),
  )
  const height = commonHeight(heads, left, known)
  if (height === null) return [...silent, ...behind]
  const blocks = await askAll(left, (one) => one.block(height, signal))
  return [
    ...silent,
    ...behind,
    ...asOne('block', String(height), toWords(blocks)),
    ...(await compareTransactions(comparing, { chain, witnesses: left }, signal)),
    ...(chain === 'main' ? await compareBalances(comparing, left, height, signal) : []),
  ]
}

/** What each said, or that it could not be asked. */
interface Asked<T> {
  readonly name: string
  readonly answer: T | null
  readonly failed: boolean
}

function askAll<W extends { readonly name: string }, T>(
  witnesses: readonly W[],
  question: (witness: W) => Promise<T | null>,
): Promise<Asked<T>[]> {
  return Promise.all(
    witnesses.map(async (witness) => {
      try {
        return { name: witness.name, answer: await question(witness), failed: false }
      } catch {
        // Who does not answer is told as such; why is in the health of the source.
        return { name: witness.name, answer: null, failed: true }
      }
    }),
  )
}

function toWords(asked: readonly Asked<string>[]): Word[] {
  return asked.map(({ name, answer }) => ({ name, says: answer }))
}

/** Where nobody answers it is our own network, or the sources' health says so. */
function judgeSilent(asked: readonly Asked<unknown>[], about = '') {
  const failed = asked.filter((one) => one.failed)
  if (failed.length === asked.length) return []
  const says = about === '' ? 'does not answer' : `does not answer ${about}`
  return failed.map(({ name }) => ({ names: [name], isTie: false, says: `${name} ${says}` }))
}

function judgeBehind(heads: readonly Asked<ShownHead | 'behind'>[]) {
  const times = heads.flatMap(({ answer }) => (answer === 'behind' ? [] : (answer?.time ?? [])))
  const newest = Math.max(...times)
  return heads.flatMap(({ name, answer }) => {
    if (answer === 'behind')
      return [{ names: [name], isTie: false, says: `${name} does not show a block that others do` }]
    if (answer === null || answer.time === null || newest - answer.time <= behindMs) return []
    const seconds = Math.round((newest - answer.time) / 1_000)
    return [
      { names: [name], isTie: false, says: `${name} is at block ${answer.height}, ${seconds} s behind` },
    ]
  })
}

/** What all that are not behind have passed. */
function commonHeight(
  heads: readonly Asked<ShownHead | 'behind'>[],
  left: readonly Witness[],
  known: number | null,
): number | null {
  const own = heads.filter(({ name }) => left.some((one) => one.name === name))
  const heights = own.flatMap(({ answer }) => (answer === 'behind' ? [] : (answer?.height ?? [])))
  const lowest = heights.length === 0 ? known : Math.min(...heights, known ?? Infinity)
  return lowest === null ? null : Math.max(0, lowest - depth)
}

async function compareTransactions(
  { clock, db }: Comparing,
  { chain, witnesses }: { readonly chain: Chain; readonly witnesses: readonly Witness[] },
  signal: AbortSignal,
): Promise<Difference[]> {
  const nodes = witnesses.filter(({ balance }) => balance !== null)
  const explorers = witnesses.filter(({ balance }) => balance === null)
  const over = listOver(db, chain, clock.now() - filledMs)
  const known = listKnownHashes(db, chain, [chain === 'main' ? 'E13' : 'E9']).slice(0, maxControls)
  const ask = (what: string, asked: readonly Asking[], hashes: readonly string[]) =>
    compareLines({ chain, what, asked }, hashes, signal)
  return [
    ...(await ask(
      'receipt',
      nodes.map(toAsking),
      listAsked(db, chain, ['canonical', 'zoneRpc'], maxTransactions),
    )),
    ...(await ask(
      'record',
      explorers.flatMap(({ name, records }) => (records ? { name, lines: records } : [])),
      over,
    )),
    // Whoever is asked of transactions in reserve shows too little as well as who is asked first.
    ...(await ask(
      'transaction',
      explorers.map(toAsking),
      known.length === 0 ? [] : [...new Set([...over, ...known])],
    )),
  ]
}

/** One who is asked, and for which lines. */
interface Asking {
  readonly name: string
  readonly lines: AskLines
}

function toAsking({ name, transactions }: Witness): Asking {
  return { name, lines: transactions }
}

interface Lines {
  readonly chain: Chain
  readonly what: string
  readonly asked: readonly Asking[]
}

async function compareLines(
  { chain, what, asked }: Lines,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<Difference[]> {
  if (asked.length < 2 || hashes.length === 0) return []
  const answers = await askAll(asked, ({ lines }) => lines(hashes, signal))
  signal.throwIfAborted()
  const silent = judgeSilent(answers, `about ${what}s`).map(
    (odd): Difference => ({ chain, what: 'silent', about: '', ...odd }),
  )
  const found = hashes.flatMap((hash, at): Difference[] => {
    const odd = findOdd(answers.map(({ name, answer }) => ({ name, says: answer?.[at] ?? null })))
    return odd === null ? [] : [{ chain, what, about: hash, ...odd }]
  })
  return [...silent, ...oneOfEach(found)]
}

async function compareBalances(
  { config }: Comparing,
  witnesses: readonly Witness[],
  height: number,
  signal: AbortSignal,
): Promise<Difference[]> {
  const nodes = witnesses.filter(({ balance }) => balance !== null)
  if (nodes.length < 2) return []
  const found: Difference[] = []
  const held = config.bridge.escrows.filter((escrow) => !isMint(escrow)).slice(0, maxBalances)
  for (const holding of held.map(toHolding)) {
    const asked = await askAll(nodes, async (one) => (await one.balance?.(holding, height, signal)) ?? null)
    const odd = findOdd(toWords(asked))
    if (odd !== null) found.push({ chain: 'main', what: 'balance', about: holding.address, ...odd })
  }
  return oneOfEach(found)
}

function toHolding({ address, token }: Holding): Holding {
  return { address, token: /^0x0{40}$/.test(token) ? '' : token }
}

/** One of those who differ in the same: the rest says nothing new of them. */
function oneOfEach(found: readonly Difference[]): Difference[] {
  return [...new Map(found.map((one) => [one.names.join(' '), one])).values()]
}

/** Hashes on one chain of the newest transfers that were over before a time. */
function listOver(db: Kernel['db'], chain: Chain, before: UnixMs): string[] {
  const column = chain === 'main' ? 'main_hash' : 'zone_hash'
  const sql = `SELECT ${column} FROM transfers INDEXED BY transfers_destination WHERE destination_at < ?
    AND state = 'completed' AND ${column} IS NOT NULL ORDER BY destination_at DESC LIMIT ?`
  return [...new Set(hash.all(db, sql, before, maxTransactions))]
}
