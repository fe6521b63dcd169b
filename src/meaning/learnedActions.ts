import { type Fees, isNear } from './actionFee.ts'
import { enoughToWarn, isHabit, type Lessons } from './habit.ts'
import { withMovedId } from './movedId.ts'
import { isBatch, type Transfer } from '../bridge/transfer.ts'
import { type ActionItem, isAllThereIs, isAmount, isName, readAddress, readNumber } from './zoneAction.ts'
import { expectedSums } from './paidSums.ts'

/** The parts of a transfer that an action's items may say. */
const actionFields = ['recipient', 'amount', 'tokenId'] as const

export type ActionField = (typeof actionFields)[number]

/** What matched transfers taught of the words of zone actions, as counts of samples by what was seen. */
export interface LearnedActions extends Lessons {
  actionsOf(name: string): ReadonlyMap<string, number>
  /** How many zone transactions of a kind were seen in their blocks without a withdrawal. */
  straysOf(kind: string): number
  /** From when on a meaning is learned anew, as after an upgrade; 0 for one that holds since ever. */
  suspendedAt(meaning: string): number
}

/** One lesson: `name` is a record token or a direction, `value` what was seen of it. */
export interface MoneySample {
  readonly kind: 'token' | 'vault' | 'elsewhere' | 'zone' | 'action' | 'fee'
  readonly name: string
  readonly value: string
}

/** Of those who withdraw to themselves it takes more: any word of theirs may agree. */
const enoughOfParty = 4

/**
 * Which names of an item stand for a part of a transfer: they did in several that match, and hardly ever otherwise. A
 * bridge on which a share of the honest ones differs must not raise a finding for each.
 */
export function establishedNames(
  learned: LearnedActions,
  transfer: Pick<Transfer, 'direction' | 'crossType'>,
  what: ActionField | 'party',
  token = '',
): ReadonlySet<string> {
  const counts = learned.actionsOf(`${topicOf(transfer)} ${what}${token === '' ? '' : ` ${token}`}`)
  const needed = Math.max(learned.needed ?? enoughToWarn, what === 'party' ? enoughOfParty : 0)
  const names = [...counts].flatMap(([sample, equal]) => {
    const name = sample.slice(1)
    return sample.startsWith('=') && isHabit(equal, counts.get(`!${name}`) ?? 0, needed) ? [name] : []
  })
  return new Set(names)
}

/** Whether an item that pays somebody else names him: where it does not, nothing follows from one that is silent. */
export function namesOthers(
  learned: LearnedActions,
  transfer: Pick<Transfer, 'direction' | 'crossType'>,
): boolean {
  const counts = learned.actionsOf(`${topicOf(transfer)} recipient`)
  const said = Math.max(0, ...[...counts].map(([sample, count]) => (sample.startsWith('=') ? count : 0)))
  return isHabit(said, counts.get(unsaid) ?? 0, learned.needed)
}

/** The sample of an item that names nobody as its transfer's recipient. */
const unsaid = 'nobody'

/** Batches may use words of their own, and have several recipients. */
export function topicOf(transfer: Pick<Transfer, 'direction' | 'crossType'>): string {
  return isBatch(transfer) ? `${transfer.direction} batch` : transfer.direction
}

/** The name under which dissent from what the words of such actions mean is counted. */
export function wordsName(transfer: Pick<Transfer, 'direction' | 'crossType'>): string {
  return `${topicOf(transfer)} words`
}

/** Whether a transfer was seen before the words came to mean something else: they judge and teach nothing of it. */
export function isOfEarlierWords(transfer: Transfer, learned: Pick<LearnedActions, 'suspendedAt'>): boolean {
  return transfer.firstSeenAt < learned.suspendedAt(wordsName(transfer))
}

/** The parts of one transfer that an item says, each with the names that it stands under. */
export interface ItemMatch {
  readonly item: ActionItem
  readonly names: Readonly<Record<ActionField, readonly string[]>>
}

/** The item that says most of a transfer; null where none says its amount or its recipient. */
export function bestItem(readings: readonly (readonly ActionItem[])[], transfer: Transfer): ItemMatch | null {
  let best: ItemMatch | null = null
  for (const item of readings.flat()) {
    const of = (what: ActionField) =>
      [...item].flatMap(([name, values]) =>
        values.some((value) => saysField(value, transfer, what)) ? [name] : [],
      )
    const match = {
      item,
      names: { amount: of('amount'), recipient: of('recipient'), tokenId: of('tokenId') },
    }
    if (scoreOf(match) > (best === null ? 0 : scoreOf(best))) best = match
  }
  return best
}

function scoreOf({ names }: ItemMatch): number {
  const main = (names.amount.length > 0 ? 2 : 0) + (names.recipient.length > 0 ? 2 : 0)
  return main === 0 ? 0 : main + (names.tokenId.length > 0 ? 1 : 0)
}

export function saysField(value: string, transfer: Transfer, what: ActionField): boolean {
  if (what === 'amount') return isAmount(value, expectedSums(transfer))
  const name = what === 'recipient' ? transfer.targetAddress : transfer.token.id
  return name !== '' && isName(value, name)
}

/** Whether a value says something of a field at all: "self", "all" or "" are no recipient, no amount and no id. */
export function saysAnything(value: string, what: ActionField): boolean {
  if (what === 'recipient') return readAddress(value) !== null
  const number = readNumber(value)
  return number !== null && (what === 'tokenId' || !isAllThereIs(number))
}

/** What one transfer teaches of the words of its zone action. */
export function sampleAction(
  record: Transfer,
  readings: readonly (readonly ActionItem[])[],
  fees: Fees,
): MoneySample[] {
  const transfer = withMovedId(record)
  const topic = topicOf(transfer)
  const best = bestItem(readings, transfer)
  if (best === null) return [{ kind: 'action', name: topic, value: 'none' }]
  const fields = actionFields.flatMap((what) => {
    // Most people withdraw to themselves: such a one does not distinguish the recipient's name from the sender's.
    const isParty = what === 'recipient' && isToSelf(transfer)
    const name = `${topic} ${isParty ? 'party' : what}`
    if (what === 'tokenId' && transfer.token.id === '') return []
    const isEqual = (values: readonly string[]) =>
      what === 'amount' && values.some((value) => isNear(value, transfer, fees))
    const equal = [...best.item].flatMap(([key, values]) =>
      best.names[what].includes(key) || isEqual(values) ? [key] : [],
    )
    // Of names that happen to agree now and then all the others count, too.
    const other = [...best.item].filter(
      ([key, values]) => !equal.includes(key) && values.some((value) => saysAnything(value, what)),
    )
    const silent = what === 'recipient' && !isParty && equal.length === 0 ? [unsaid] : []
    const values = [...equal.map((key) => `=${key}`), ...silent, ...other.map(([key]) => `!${key}`)]
    const places = what === 'amount' ? [name, `${name} ${transfer.token.address}`] : [name]
    return places.flatMap((place) =>
      values.map((value): MoneySample => ({ kind: 'action', name: place, value })),
    )
  })
  const isWhole = best.names.amount.length > 0 && best.names.recipient.length > 0
  return [...fields, ...(isWhole ? sampleTokens(transfer, best) : [])]
}

/** Whether a transfer's recipient is its sender too. */
export function isToSelf({ sourceAddress, from, targetAddress }: Transfer): boolean {
  return targetAddress === sourceAddress || targetAddress === from
}

/** Under which name an item names the token is learned too: it says one thing of one token, and another of another. */
function sampleTokens(transfer: Transfer, { item, names }: ItemMatch): MoneySample[] {
  const taken = new Set([...names.amount, ...names.recipient, ...names.tokenId])
  return listTokenWords(transfer, item)
    .filter(([key]) => !taken.has(key))
    .map(([key, word]) => ({
      kind: 'action',
      name: `${transfer.direction} token ${key}`,
      value: `${transfer.token.address}>${word}`,
    }))
}

/** Values that may name a token: no party of the transfer, and short. */
export function listTokenWords(transfer: Transfer, item: ActionItem): [string, string][] {
  const parties = [transfer.sourceAddress, transfer.targetAddress, transfer.from, transfer.to]
  return [...item].flatMap(([key, [value, ...others]]): [string, string][] => {
    const word = value?.toLowerCase() ?? ''
    const isWord = others.length === 0 && word !== '' && word.length <= 66 && !parties.includes(word)
    return isWord ? [[key, word]] : []
  })
}
