import { canonicalToken } from '../bridge/movedToken.ts'
import { type Account, namesItems } from './compareBatch.ts'
import { hasUsualKind, mayDoubtLater, paysNothingOut, zoneEvidence } from './doubtOrigin.ts'
import { actionOf } from './judgeAction.ts'
import { onlyCertain } from './habit.ts'
import { establishedNames } from './learnedActions.ts'
import { isWordKnown, listTokenLessons } from './otherTokens.ts'
import { type LearnedMoney, namesZoneAmounts } from './learnedMoney.ts'
import type { Direction } from '../bridge/observation.ts'
import { isBatch, type Transfer } from '../bridge/transfer.ts'
import { readAction } from './zoneAction.ts'

/**
 * Something that transfers are judged by and that others teach. While it is not known a judgement says nothing of it,
 * and is made again when it is.
 */
export interface Lesson {
  readonly about: keyof typeof isKnown
  readonly direction: Direction
  readonly isOfBatches: boolean
  /** A token, a word, a kind of action; '' where there is nothing to distinguish. */
  readonly of: string
  /** It warns already, and does not accuse yet. */
  readonly isLikely?: true
}

export interface Teaching {
  readonly learned: LearnedMoney
  /** Where deposits of a token go, by these lessons; empty while that is not known. */
  vaultsOf(token: string, learned: LearnedMoney): readonly string[]
}

/** Items of one action whose words are looked at. */
const maxItems = 20

type Known = (teaching: Teaching, lesson: Lesson) => boolean

const isNamed =
  (what: 'recipient' | 'party' | 'tokenId' | 'amount'): Known =>
  ({ learned }, lesson) =>
    establishedNames(learned, topicOf(lesson), what, lesson.of).size > 0

const isItems =
  (account: Account): Known =>
  ({ learned }) =>
    namesItems(account, { learned })

const isKnown = {
  amount: isNamed('amount'),
  recipient: isNamed('recipient'),
  party: isNamed('party'),
  tokenId: isNamed('tokenId'),
  detail: isItems('detail'),
  moves: isItems('moves'),
  kind: ({ learned }, lesson) => hasUsualKind(learned, topicOf(lesson), lesson.of),
  otherKind: ({ learned }, { of }) => paysNothingOut(learned, of),
  token: ({ learned }, { direction, of }) => isWordKnown(learned, direction, of),
  zone: ({ learned }, { direction }) => namesZoneAmounts(direction, learned),
  fee: ({ learned }, { direction, of }) => {
    const { less, flat } = learned.keptOf(of, direction)
    return less > 0 || flat !== null
  },
  vault: (teaching, { of }) => teaching.vaultsOf(of, teaching.learned).length > 0,
} satisfies Record<string, Known>

export function isLearned(lesson: Lesson, teaching: Teaching): boolean {
  const { learned } = teaching
  return isKnown[lesson.about](
    lesson.isLikely ? { ...teaching, learned: onlyCertain(learned) } : teaching,
    lesson,
  )
}

/**
 * What more transfers may teach of what this one is judged by.
 * @param awaitsFee whether it is told for what may be a fee
 */
export function listOpenLessons(transfer: Transfer, teaching: Teaching, awaitsFee: boolean): Lesson[] {
  if (!transfer.isListed || transfer.status === 'failed') return []
  const { direction, token } = transfer
  const lesson = (about: Lesson['about'], of = ''): Lesson => ({
    about,
    direction,
    isOfBatches: isBatch(transfer),
    of,
  })
  const isDeposit = direction === 'MainToZone'
  const lessons = [
    ...(awaitsFee ? [lesson('fee', canonicalToken(token.address))] : []),
    ...(isDeposit && transfer.main ? [lesson('vault', canonicalToken(token.address))] : []),
    ...listOfZone(transfer, teaching, lesson),
  ]
  return lessons.flatMap((one) => {
    if (!isLearned(one, teaching)) return [one]
    const certain = { ...one, isLikely: true as const }
    return isLearned(certain, teaching) ? [] : [certain]
  })
}

function listOfZone(
  transfer: Transfer,
  { learned }: Teaching,
  lesson: (about: Lesson['about'], of?: string) => Lesson,
): Lesson[] {
  const kind = zoneEvidence(transfer)?.actionType ?? ''
  const kinds = mayDoubtLater(transfer, { learned }) ? [lesson('kind', kind), lesson('otherKind', kind)] : []
  const by = actionOf(transfer)
  if (by === null) return kinds
  const { token } = transfer
  const items = readAction(by.action).flat().slice(0, maxItems)
  const words = new Set(items.flatMap((item) => listTokenLessons(transfer, item, learned)))
  return [
    ...kinds,
    ...(isBatch(transfer)
      ? [lesson('detail'), lesson('moves')]
      : [lesson('amount'), lesson('amount', token.address), ...(token.id === '' ? [] : [lesson('tokenId')])]),
    ...(by.amountRaw == null ? [] : [lesson('zone')]),
    lesson('recipient'),
    lesson('party'),
    ...[...words].map((word) => lesson('token', word)),
  ]
}

function topicOf({ direction, isOfBatches }: Lesson): Pick<Transfer, 'direction' | 'crossType'> {
  return { direction, crossType: isOfBatches ? 'batch' : '' }
}
