import type { Clock, UnixMs } from '../../lib/clock.ts'
import { isObject } from '../../lib/isObject.ts'
import type { RpcMethodName } from './rpcMethods.ts'
import type { UnreadableItem } from './rpcObjects.ts'

/** What rows of a method's answers (receipts, transactions of a block) lack, as the newest answer that lacked it showed. */
export interface AnswerLack extends Flaw {
  readonly method: RpcMethodName
  /** In how many rows, `of` how many. */
  readonly rows: number
  readonly of: number
  /** Transactions whose rows they were, a few of them. */
  readonly hashes: readonly string[]
  readonly firstAt: UnixMs
  readonly lastAt: UnixMs
  /** Whether the newest answer with rows lacked it too. */
  readonly isStill: boolean
}

interface Flaw {
  readonly key: string
  /** What was expected and what came; null when the key is not there. */
  readonly problem: string | null
}

interface RowFlaw extends Flaw {
  readonly hash: string | null
}

/** What came of one question; `unread` says why its result could not be read. */
export interface Answered {
  readonly method: RpcMethodName
  readonly params: readonly unknown[]
  readonly value?: unknown
  readonly unread?: string
}

export interface LackBook {
  /** Takes what was asked together. */
  note(answered: readonly Answered[]): void
  list(): readonly AnswerLack[]
  /** Whether the method was answered. */
  hasRead(method: RpcMethodName): boolean
}

type Kept = Omit<AnswerLack, 'method'>

const mostHashes = 10

/** Remembers what rows of each method lack, by the clock that nobody sets. */
export function createLackBook(clock: Pick<Clock, 'now' | 'monotonicMs'>): LackBook {
  const books = new Map<RpcMethodName, ReadonlyMap<string, Kept>>()
  return {
    note(answered) {
      for (const [method, all] of Map.groupBy(answered, (one) => one.method)) {
        // What nobody can read at all is no answer, and is told as that.
        if (all.every(({ unread }) => unread !== undefined)) continue
        const rows = all.map(readRows)
        const of = rows.reduce((sum, one) => sum + one.of, 0)
        const flaws = rows.flatMap((one) => one.flaws)
        const before = books.get(method) ?? new Map<string, Kept>()
        books.set(method, of === 0 ? before : addFlaws(before, { of, flaws }, clock.monotonicMs()))
      }
    },
    list() {
      const offset = clock.now() - clock.monotonicMs()
      const toWall = (at: number) => Math.floor(at + offset)
      return [...books].flatMap(([method, lacks]) =>
        [...lacks.values()].map((lack) => {
          const { firstAt, lastAt } = lack
          return { ...lack, method, firstAt: toWall(firstAt), lastAt: toWall(lastAt) }
        }),
      )
    },
    hasRead: (method) => books.has(method),
  }
}

function addFlaws(
  before: ReadonlyMap<string, Kept>,
  { of, flaws }: { readonly of: number; readonly flaws: readonly RowFlaw[] },
  at: number,
): ReadonlyMap<string, Kept> {
  if (before.size === 0 && flaws.length === 0) return before
  const after = new Map([...before].map(([key, lack]) => [key, { ...lack, isStill: false }]))
  for (const [key, own] of Map.groupBy(flaws, (flaw) => flaw.key)) {
    const hashes = [...new Set(own.flatMap(({ hash }) => hash ?? []))].slice(0, mostHashes)
    const { problem = null } = own[0] ?? {}
    const firstAt = before.get(key)?.firstAt ?? at
    after.set(key, { key, problem, rows: own.length, of, hashes, firstAt, lastAt: at, isStill: true })
  }
  return after
}

/** Rows of one answer: those of a list, or the one that a result is. */
function readRows({ params, unread, value }: Answered): {
  readonly of: number
  readonly flaws: readonly RowFlaw[]
} {
  if (unread !== undefined) return { of: 1, flaws: [{ ...toFlaw(unread), hash: hashIn(String(params[0])) }] }
  if (!isObject(value)) return { of: 0, flaws: [] }
  const rows = value['items'] ?? value['hashes']
  if (!Array.isArray(rows)) return { of: 1, flaws: listUnsaid([value]) }
  // Whatever has one of the two is a list with what could not be read of it.
  const unreadable = value['unreadable'] as readonly UnreadableItem[]
  const broken = unreadable.map(({ problem, raw }) => ({ ...toFlaw(problem), hash: hashIn(raw) }))
  return { of: rows.length + broken.length, flaws: [...broken, ...listUnsaid(rows)] }
}

/** Receipts that do not say what their transaction wrote: that is not the same as nothing. */
function listUnsaid(rows: readonly unknown[]): RowFlaw[] {
  return rows.flatMap((row) =>
    isObject(row) && row['logs'] === null
      ? [{ key: 'logs', problem: null, hash: hashIn(String(row['transactionHash'])) }]
      : [],
  )
}

/** `logs.0.data: expected hex data` is about `logs`. */
function toFlaw(problem: string): Flaw {
  return { key: /^\w+(?=[.:])/.exec(problem)?.[0] ?? 'transactions', problem }
}

/** The transaction that a row is about, as far as its text says. */
function hashIn(text: string): string | null {
  const found =
    /"(?:transactionHash|hash)":"(0x[0-9a-f]{64})"/i.exec(text) ?? /^(0x[0-9a-f]{64})$/i.exec(text)
  return found?.[1]?.toLowerCase() ?? null
}
