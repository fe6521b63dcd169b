import { type Fees, isNear } from './actionFee.ts'
import { enoughToAccuse, enoughToWarn, isHabit, type Lessons } from './habit.ts'
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
  transfer: Transfer,
  readings: readonly (readonly ActionItem[])[],
  fees: Fees,
): MoneySample[] {
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
function listTokenWords(transfer: Transfer, item: ActionItem): [string, string][] {
  const parties = [transfer.sourceAddress, transfer.targetAddress, transfer.from, transfer.to]
  return [...item].flatMap(([key, [value, ...others]]): [string, string][] => {
    const word = value?.toLowerCase() ?? ''
    const isWord = others.length === 0 && word !== '' && word.length <= 66 && !parties.includes(word)
    return isWord ? [[key, word]] : []
  })
}

interface TokenPair {
  readonly token: string
  readonly word: string
  readonly count: number
}

/** The other token that an item names by its established word; null when it names the record's, or says none. */
export function otherTokenOf(learned: LearnedActions, transfer: Transfer, item: ActionItem): string | null {
  const words = listTokenWords(transfer, item)
  for (const [key, word] of words) {
    const pairs = pairsOf(learned, transfer.direction, key)
    const other =
      otherMeant(pairs, word, transfer.token, learned.needed) ??
      otherAddress(pairs, words, word, transfer.token.address, learned.needed)
    if (other !== null) return other
  }
  return null
}

/**
 * Where the word is the token's own address, any other address is another token: of one that is made for a theft nothing
 * is known. An item that names the record's token elsewhere says a fee, or whatever, in another.
 */
function otherAddress(
  pairs: readonly TokenPair[],
  words: readonly [string, string][],
  word: string,
  own: string,
  needed?: number,
): string | null {
  const address = readAddress(word)
  if (address === null || words.some(([, one]) => readAddress(one) === own)) return null
  const usual = findUsual(
    pairs.filter(({ token }) => token === own),
    needed,
  )
  return usual !== null && readAddress(usual.word) === own ? address : null
}

/** What still has to be learned to know whether an item names the transfer's token: as `isWordKnown` takes it. */
export function listTokenLessons(transfer: Transfer, item: ActionItem, learned: LearnedActions): string[] {
  const words = listTokenWords(transfer, item)
  const { address } = transfer.token
  const strange = words.filter(([key, word]) => {
    const own = pairsOf(learned, transfer.direction, key).filter(({ token }) => token === address)
    return (findUsual(own, learned.needed)?.word ?? word) !== word
  })
  const keys = words.map(([key]) => key).sort()
  return [`${keys.join(' ')}>${address}>`, ...strange.map(([key, word]) => `${key}>>${word}`)]
}

/** Whether it is known by what word a token is named under one of the keys, or which token a word names. */
export function isWordKnown(learned: LearnedActions, direction: string, lesson: string): boolean {
  const [keys = '', token = '', ...word] = lesson.split('>')
  const isAsked = (pair: TokenPair) => pair.token === token || pair.word === word.join('>')
  return keys.split(' ').some((key) => {
    const usual = findUsual(pairsOf(learned, direction, key).filter(isAsked), learned.needed)
    return usual !== null && (usual.count >= plainCode || namesToken(usual.word, { address: usual.token }))
  })
}

function pairsOf(learned: LearnedActions, direction: string, key: string): TokenPair[] {
  return [...learned.actionsOf(`${direction} token ${key}`)].map(([pair, count]) => {
    const at = pair.indexOf('>')
    return { token: pair.slice(0, at), word: pair.slice(at + 1), count }
  })
}

function otherMeant(
  pairs: readonly TokenPair[],
  word: string,
  own: Transfer['token'],
  needed?: number,
): string | null {
  const usual = findUsual(
    pairs.filter(({ token }) => token === own.address),
    needed,
  )
  const meant = findMeant(
    pairs.filter((pair) => pair.word === word),
    own.address,
    needed,
  )
  if (!usual || !meant || usual.word === word) return null
  const isNamed = namesToken(usual.word, own) || namesToken(meant.word, { address: meant.token })
  return isNamed || isPlainCode([usual, meant], pairs, { own: own.address, word }) ? meant.token : null
}

/** Whose word it is where it is not the record's token's: of several that share it the most usual. */
function findMeant(pairs: readonly TokenPair[], own: string, needed = enoughToWarn): TokenPair | null {
  const sum = (of: readonly TokenPair[]) => of.reduce((total, { count }) => total + count, 0)
  const others = pairs.filter(({ token }) => token !== own)
  const mine = sum(pairs) - sum(others)
  if (!isUsual(sum(others), mine, needed)) return null
  return others.toSorted((a, b) => b.count - a.count)[0] ?? null
}

/** Whether a word is about the token by itself, and not by what usually goes with it. */
function namesToken(
  word: string,
  { address, name, symbol }: Partial<Pick<Transfer['token'], 'address' | 'name' | 'symbol'>>,
): boolean {
  if (address !== undefined && address !== '' && word.includes(address)) return true
  return [name, symbol].some(
    (one) => one !== undefined && one !== null && one !== '' && one.toLowerCase() === word,
  )
}

/**
 * A ticker or a number that stands for a token: one for each, over many samples of both. Other words go with tokens too,
 * by habit: a speed, a route, a flag.
 */
function isPlainCode(
  known: readonly TokenPair[],
  pairs: readonly TokenPair[],
  judged: { readonly own: string; readonly word: string },
): boolean {
  const others = pairs.filter(({ token, word }) => token !== judged.own || word !== judged.word)
  const isOneToOne =
    new Set(others.map(({ token }) => token)).size === others.length &&
    new Set(others.map(({ word }) => word)).size === others.length
  const seen = pairs.find(({ token, word }) => token === judged.own && word === judged.word)?.count ?? 0
  return isOneToOne && seen <= mostJudged && known.every(({ count }) => count >= plainCode)
}

/** How many samples of each distinguish a code from a habit. */
const plainCode = enoughToAccuse
/** What is judged has taught already; another one may have come with it. */
const mostJudged = 2

/** What is a habit by far, the few that contradict it included: what is judged may have taught one of them. */
function findUsual<P extends { readonly count: number }>(
  pairs: readonly P[],
  needed = enoughToWarn,
): P | null {
  const [most, ...others] = pairs.toSorted((a, b) => b.count - a.count)
  const rest = others.reduce((sum, { count }) => sum + count, 0)
  return most && isUsual(most.count, rest, needed) ? most : null
}

/** A word may be shared, or be one of a few: to ask and to warn it takes less than a habit. */
function isUsual(count: number, rest: number, needed: number): boolean {
  if (needed >= enoughToAccuse) return isHabit(count, rest, needed)
  return count >= needed && count > 2 * rest
}
