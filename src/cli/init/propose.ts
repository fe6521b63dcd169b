import { deriveDecimals } from '../../bridge/amount.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  negate,
  noAmount,
  toDecimal,
} from '../../bridge/decimal.ts'
import { canonicalToken } from '../../bridge/movedToken.ts'
import type { Observation } from '../../bridge/observation.ts'
import { cleanText, inBrackets } from '../../lib/text.ts'
import { type Move, partyOf, type Survey } from './survey.ts'

/** What recent transfers show of something, and why that may be wrong; without doubts it becomes a setting. */
interface Proposed {
  readonly address: string
  /** For people. */
  readonly rests: string
  readonly doubts: readonly string[]
}

export interface ProposedToken extends Proposed {
  /** Null where it does not follow from what was seen. */
  readonly symbol: string | null
  readonly decimals: number | null
  /** As the chain calls it, in brackets: anybody chooses such a name. */
  readonly called: string
}

interface ProposedEscrow extends Proposed {
  /** '' for the native currency. */
  readonly token: string
}

export interface Proposal {
  readonly tokens: readonly ProposedToken[]
  readonly escrows: readonly ProposedEscrow[]
  readonly contracts: readonly Proposed[]
}

/** Fewer transfers, or of fewer parties, may be anybody's play. */
const fewest = 3
/** Of what was seen, that has to agree. */
const mostShare = 0.9
const mostDoubtful = 20

/** Letters that look like others, and what a configuration would read as more than text, are in no such symbol. */
const plainSymbol = /^[A-Za-z0-9][A-Za-z0-9.+_-]{0,15}$/

/** What a survey says of a bridge's tokens, escrows and contracts, and how sure that is. */
export function propose(survey: Survey): Proposal {
  const byToken = Map.groupBy(survey.transfers, ({ token }) => canonicalToken(token))
  const movesOf = Map.groupBy(survey.moves, ({ hash }) => hash)
  const mostFirst = [...byToken].toSorted(([, a], [, b]) => b.length - a.length)
  const groups = mostFirst.map(([token, transfers]) => ({ token, transfers, movesOf }))
  const tokens = doubtTwins(groups.flatMap((group) => (group.token === '' ? [] : [proposeToken(group)])))
  const sure = new Set(tokens.flatMap(({ address, doubts }) => (doubts.length === 0 ? [address] : [])))
  return {
    tokens: arrange(tokens),
    escrows: arrange(
      groups.flatMap((group) => proposeEscrow(group, group.token === '' || sure.has(group.token))),
    ),
    contracts: arrange(proposeContracts(survey)),
  }
}

/** What is sure comes first; of the doubtful no more than somebody would look at. */
function arrange<T extends Proposed>(proposed: readonly T[]): T[] {
  const doubtful = proposed.filter(({ doubts }) => doubts.length > 0)
  return [...proposed.filter(({ doubts }) => doubts.length === 0), ...doubtful.slice(0, mostDoubtful)]
}

interface TokenGroup {
  readonly token: string
  readonly transfers: readonly Observation[]
  readonly movesOf: ReadonlyMap<string, readonly Move[]>
}

function proposeToken({ token, transfers, movesOf }: TokenGroup): ProposedToken {
  const evident = transfers.filter(({ mainHash }) => movesOf.has(mainHash ?? ''))
  const moves = evident.flatMap(({ mainHash }) => movesOf.get(mainHash ?? '') ?? [])
  const own = moves.filter((move) => move.token === token)
  const symbols = [...new Set(own.map(({ symbol }) => cleanText(symbol)).filter((symbol) => symbol !== ''))]
  const names = [...symbols, ...transfers.map(({ tokenName }) => cleanText(tokenName))]
  const counts = transfers.flatMap(({ value, amountRaw }) =>
    value === null || amountRaw === null ? [] : (deriveDecimals(value, amountRaw) ?? []),
  )
  const decimals = [...new Set(counts)]
  const [symbol = ''] = symbols
  return {
    address: token,
    symbol: plainSymbol.test(symbol) ? symbol : null,
    decimals: decimals.length === 1 ? (decimals[0] ?? null) : null,
    called: inBrackets(names.find((name) => name !== '') ?? ''),
    rests: sayTransfers(transfers),
    doubts: [
      ...doubtFew(transfers),
      ...(evident.length > 0 && own.length === 0
        ? ['the main chain moved another token in these transactions: this may be its name on the zone chain']
        : []),
      ...(symbols.length > 1 ? ['the main chain gives it several symbols'] : []),
      ...(symbols.length === 1 && !plainSymbol.test(symbol) ? ['its symbol has unusual letters'] : []),
      ...(symbols.length === 0 ? ['the main chain gave no symbol'] : []),
      ...(decimals.length === 1 ? [] : ['its decimals do not follow from the amounts']),
    ],
  }
}

/** Whoever makes a token may call it as another one is called; one that rests on nothing casts no doubt on others. */
function doubtTwins(tokens: readonly ProposedToken[]): ProposedToken[] {
  return tokens.map((token) => {
    const twins = tokens.filter((other) => other !== token && nameOf(other) === nameOf(token))
    const isDoubtful = token.doubts.length > 0 || twins.some(({ doubts }) => doubts.length === 0)
    if (twins.length === 0 || !isDoubtful) return token
    return {
      ...token,
      doubts: [...token.doubts, 'another token has the same symbol: which is the real one?'],
    }
  })
}

function nameOf({ symbol, called }: ProposedToken): string {
  return (symbol ?? called.slice(1, -1)).toLowerCase()
}

function proposeEscrow({ token, transfers, movesOf }: TokenGroup, isTokenSure: boolean): ProposedEscrow[] {
  const held = transfers.flatMap((transfer) => {
    const moves = movesOf.get(transfer.mainHash ?? '')?.filter((move) => move.token === token) ?? []
    const address = findHolder(moves, transfer)
    return address === null ? [] : [{ address, transfer }]
  })
  const byAddress = Map.groupBy(held, ({ address }) => address)
  return [...byAddress].map(([address, of]) => {
    const shown = of.map(({ transfer }) => transfer)
    return {
      address,
      token,
      rests: sayDirections(shown),
      doubts: [
        ...doubtFew(shown),
        ...(of.length < held.length * mostShare
          ? [`only ${of.length} of ${held.length} transfers of this token went through it`]
          : []),
        ...(isTokenSure ? [] : ['its token is doubtful']),
        ...(/^0x0+$/.test(address) ? ['nobody holds it: the token is made and destroyed'] : []),
      ],
    }
  })
}

/** Who kept a deposit's money, or whose money a payout was: the largest change in that direction, its party's apart. */
function findHolder(moves: readonly Move[], transfer: Observation): string | null {
  const changes = new Map<string, Decimal>()
  const add = (address: string, amount: Decimal) =>
    changes.set(address, addDecimals(changes.get(address) ?? noAmount, amount))
  for (const { from, to, amount } of moves) {
    const moved = toDecimal(amount ?? '') ?? noAmount
    add(from, negate(moved))
    add(to, moved)
  }
  const isDeposit = transfer.direction === 'MainToZone'
  const gains = [...changes]
    .filter(([address]) => address !== '' && address !== partyOf(transfer))
    .map(([address, change]) => ({ address, gain: isDeposit ? change : negate(change) }))
    .filter(({ gain }) => gain.digits > 0n)
    .toSorted((a, b) => compareDecimals(b.gain, a.gain))
  return gains[0]?.address ?? null
}

function proposeContracts({ transfers, moves, logs }: Survey): Proposed[] {
  const tokens = new Set([...moves.map(({ token }) => token), ...transfers.map(({ token }) => token)])
  const looked = transfers.filter(({ mainHash }) => logs.has(mainHash ?? ''))
  const emitters = new Set([...logs.values()].flat().filter((address) => !tokens.has(address)))
  return [...emitters].flatMap((address) => {
    const of = looked.filter(({ mainHash }) => logs.get(mainHash ?? '')?.includes(address))
    const isMost = (direction: Observation['direction']) => {
      const all = looked.filter((transfer) => transfer.direction === direction)
      const own = of.filter((transfer) => transfer.direction === direction)
      return own.length >= Math.max(fewest, all.length * mostShare)
    }
    // What wrote once is a wallet, a market, or whatever else people call in the same transaction.
    if (of.length < 2) return []
    const isUsual = isMost('MainToZone') || isMost('ZoneToMain')
    const rests = `wrote events in the main transactions of ${of.length} of the ${looked.length} transfers that were looked at: ${sayDirections(of)}`
    const doubts = [...doubtFew(of), ...(isUsual ? [] : ['most transfers of either direction do without it'])]
    return { address, rests, doubts }
  })
}

function countParties(transfers: readonly Observation[]): number {
  return new Set(transfers.map(partyOf)).size
}

function doubtFew(transfers: readonly Observation[]): string[] {
  if (countParties(transfers) >= fewest) return []
  return [`it rests on fewer than ${fewest} parties`]
}

function sayTransfers(transfers: readonly Observation[]): string {
  const parties = countParties(transfers)
  return `${count(transfers.length, 'transfer')} of ${count(parties, 'party', 'parties')}`
}

function sayDirections(transfers: readonly Observation[]): string {
  const deposits = transfers.filter(({ direction }) => direction === 'MainToZone').length
  const parties = count(countParties(transfers), 'party', 'parties')
  return `${count(deposits, 'deposit')} and ${count(transfers.length - deposits, 'payout')} of ${parties}`
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
