import { enoughToAccuse, enoughToWarn, isHabit } from './habit.ts'
import type { Transfer } from '../bridge/transfer.ts'
import { type ActionItem, readAddress } from './zoneAction.ts'
import { type LearnedActions, listTokenWords } from './learnedActions.ts'

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
