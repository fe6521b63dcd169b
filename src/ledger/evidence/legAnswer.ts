import type { Agreement } from '../../bridge/agreement.ts'
import { type Chain, chains } from '../../bridge/observation.ts'
import {
  type EarlierPayout,
  type EvidenceSource,
  evidenceSources,
  type TokenMove,
} from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { oneOf, type Read } from '../../store/table.ts'

export const answerStatus = oneOf('success', 'failed', 'unknown', 'absent')

/** The newest answer of one source about one leg, as it is stored. */
export interface LegAnswer {
  readonly chain: Chain
  readonly hash: string
  readonly source: EvidenceSource
  readonly at: UnixMs
  readonly status: Read<typeof answerStatus>
  readonly body: AnswerBody
}

/** The rest of an answer, as JSON: what there is nothing to say of is left out. */
export interface AnswerBody {
  /** The request of the first answer that said the same; left out, it was this one. */
  readonly since?: UnixMs
  readonly errorMessage?: string
  readonly moves?: readonly (Omit<TokenMove, 'amountRaw'> & { readonly amountRaw: string | null })[]
  readonly whole?: boolean
  readonly amountRaw?: string
  readonly amount?: string
  readonly reads?: number
  readonly unasked?: EvidenceSource
  readonly agreement?: Agreement
  readonly height?: number
  readonly time?: UnixMs
  readonly actionType?: string
  readonly action?: string
  readonly paidIn?: string
  readonly earlier?: readonly EarlierPayout[]
  readonly recipient?: string
  readonly few?: boolean
}

type PackedAnswer = readonly [LegAnswer['chain'], EvidenceSource, UnixMs, LegAnswer['status'], AnswerBody]
const answerCells = 5

export function toCells(answers: readonly LegAnswer[]): unknown[] {
  return answers.flatMap(
    ({ chain, source, at, status, body }): PackedAnswer => [chain, source, at, status, body],
  )
}

/** What a token moves in comes back; who moved it need not. */
export function tokensIn(answers: readonly LegAnswer[]): string[] {
  return answers.flatMap(({ body }) => body.moves?.map((move) => move.token) ?? [])
}

/** Whether it says more than that the leg succeeded. */
export function isTelling({ status, body }: LegAnswer): boolean {
  return status !== 'success' || 'moves' in body || 'amount' in body || 'amountRaw' in body
}

/** Whether what was unpacked can be answers: of damaged bytes some unpack to something else. */
export function areAnswers(cells: unknown): cells is readonly unknown[] {
  if (!Array.isArray(cells) || cells.length === 0) return false
  const rows = toRows(cells)
  return rows.every(
    ([chain, source, at, status, body]) =>
      (chains as readonly unknown[]).includes(chain) &&
      (evidenceSources as readonly unknown[]).includes(source) &&
      Number.isSafeInteger(at) &&
      answerStatus.read(status) !== undefined &&
      typeof body === 'object' &&
      body !== null &&
      (body.moves ?? []).every((move) => typeof move.token === 'string' && typeof move.from === 'string'),
  )
}

/** One behind the other; in rows of before each is a list of its own. */
export function splitAnswers(hash: string, cells: readonly unknown[]): LegAnswer[] {
  return toRows(cells).map(([chain, source, at, status, body]) => ({
    hash,
    chain,
    source,
    at,
    status,
    body,
  }))
}

function toRows(cells: readonly unknown[]): readonly PackedAnswer[] {
  // Packed by `write`.
  return Array.isArray(cells[0])
    ? (cells as unknown as PackedAnswer[])
    : Array.from(
        { length: Math.ceil(cells.length / answerCells) },
        (_, place) => cells.slice(place * answerCells, (place + 1) * answerCells) as unknown as PackedAnswer,
      )
}
