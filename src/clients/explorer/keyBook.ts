import type { UnixMs } from '../../lib/clock.ts'
import { type ClockJump, rebaseInstant } from '../../lib/rebaseInstant.ts'
import type { EndpointId } from './endpoint.ts'
import type { KeyLack } from './keyLacks.ts'
import type { Answer } from './readAnswer.ts'

/** What records of an endpoint lack, as the newest answer that lacks it showed. */
export interface NotedLack extends KeyLack {
  readonly endpoint: EndpointId
  readonly firstAt: UnixMs
  readonly lastAt: UnixMs
  /** Whether the newest answer with rows lacked it too. */
  readonly isStill: boolean
  /** When rows last had it; null since it was first missed. */
  readonly seenAt: UnixMs | null
}

export interface KeyBook {
  note(answer: Pick<Answer<unknown>, 'endpoint' | 'empty' | 'lacks'>, at: UnixMs): void
  list(): readonly NotedLack[]
  /** Whether any record of the endpoint was read. */
  hasRead(endpoint: EndpointId): boolean
  rebaseClock(jump: ClockJump): void
}

/** Remembers which documented keys the records of each endpoint lack: as many entries as keys are documented. */
export function createKeyBook(): KeyBook {
  const books = new Map<EndpointId, Map<string, NotedLack>>()
  return {
    note({ endpoint, empty, lacks }, at) {
      if (empty) return
      const before = books.get(endpoint)
      if (before === undefined) books.set(endpoint, new Map())
      if (lacks.length === 0 && !before?.size) return
      const book = books.get(endpoint) ?? new Map<string, NotedLack>()
      for (const [field, lack] of book) {
        const isLacked = lacks.some((one) => one.field === field)
        book.set(field, { ...lack, isStill: false, seenAt: isLacked ? lack.seenAt : at })
      }
      for (const lack of lacks) {
        const before = book.get(lack.field)
        const seenAt = lack.rows < lack.of ? at : (before?.seenAt ?? null)
        const firstAt = before?.firstAt ?? at
        book.set(lack.field, { ...lack, endpoint, firstAt, lastAt: at, isStill: true, seenAt })
      }
    },
    list: () => [...books.values()].flatMap((book) => [...book.values()]),
    hasRead: (endpoint) => books.has(endpoint),
    rebaseClock(jump) {
      for (const book of books.values())
        for (const [field, lack] of book)
          book.set(field, {
            ...lack,
            firstAt: rebaseInstant(lack.firstAt, jump),
            lastAt: rebaseInstant(lack.lastAt, jump),
            seenAt: lack.seenAt === null ? null : rebaseInstant(lack.seenAt, jump),
          })
    },
  }
}
