import { createHash } from 'node:crypto'
import { parseDecimal } from '../../bridge/amount.ts'
import type { Direction, Observation, RecordSource } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { type Line, Moment, toInstant } from '../../kernel/moment.ts'
import type { RecordText, TestFile } from './testSchema.ts'
import { findToken } from './testTokens.ts'

/** What the newest reading of a transfer's record said. */
export interface Reading {
  readonly name: string
  /** All that was ever said of it, the newest on top. */
  readonly text: RecordText
  readonly observation: Observation
}

/**
 * A record as a reading gives it. What a test leaves out is what the reading before it said, or what nobody asks about:
 * a withdrawal of 1 of the first token, which left when it was first read.
 */
export function toReading(
  file: Pick<TestFile, 'bridge'>,
  of: {
    readonly name: string
    readonly text: RecordText
    readonly before: Reading | null
    readonly line: Line
  },
): Reading {
  const { name, line } = of
  const text: RecordText = { ...of.before?.text, ...of.text, ...pinned(of.text, line) }
  return { name, text, observation: toObservation(file, { name, text, before: of.before, line }) }
}

/** `now` in a record means the time of that reading, not that of a later one. */
function pinned(text: RecordText, line: Line): Partial<RecordText> {
  const names = ['originAt', 'destinationAt', 'updatedAt'] as const
  return Object.fromEntries(
    names.flatMap((name) => {
      const one: Moment | null | undefined = text[name]
      return one ? [[name, new Moment(null, toInstant(one, line))]] : []
    }),
  )
}

function toObservation(
  file: Pick<TestFile, 'bridge'>,
  of: {
    readonly name: string
    readonly text: RecordText
    readonly before: Reading | null
    readonly line: Line
  },
): Observation {
  const { name, text, before, line } = of
  const direction: Direction = text.direction ?? 'ZoneToMain'
  const isDeposit = direction === 'MainToZone'
  const originAt =
    text.originAt === undefined
      ? (before?.observation[isDeposit ? 'mainTime' : 'zoneTime'] ?? line.now)
      : instantOf(text.originAt, line)
  const destinationAt = instantOf(text.destinationAt ?? null, line)
  const main = legOf({ chain: 'main', name, at: isDeposit ? originAt : destinationAt, hash: text.mainTxHash })
  const zone = legOf({ chain: 'zone', name, at: isDeposit ? destinationAt : originAt, hash: text.zoneTxHash })
  return {
    source: text.readBy ?? defaultSource(zone.hash),
    requestedAt: line.now,
    // What a test gives one name is one transfer, whatever its readings say of it.
    id: text.id === undefined ? name : text.id,
    direction,
    crossType: text.crossType ?? (isDeposit ? 'Deposit' : 'Withdraw'),
    status: text.status ?? 'success',
    mainHash: main.hash,
    mainHeight: main.hash === null ? null : 500,
    mainTime: main.at,
    zoneHash: zone.hash,
    zoneHeight: zone.hash === null ? null : 5_000,
    zoneTime: zone.at,
    from: '',
    to: '',
    sourceAddress: text.source?.toLowerCase() ?? addressOf(`${name} source`),
    targetAddress: text.target?.toLowerCase() ?? addressOf(`${name} target`),
    ...toMoney(file, text),
    tokenType: text.tokenType ?? 'ERC20',
    tokenId: text.tokenId ?? '',
    tokenName: text.tokenName ?? '',
    zoneEventIndex: null,
    zoneBlockHash: null,
    batchDetail: text.batchDetail ?? null,
    updateTime: instantOf(text.updatedAt ?? null, line),
    pushHeight: null,
  }
}

function defaultSource(zoneHash: string | null): RecordSource {
  return zoneHash === null ? 'E3' : 'E12'
}

function instantOf(one: Moment | null, line: Line): UnixMs | null {
  return one === null ? null : toInstant(one, line)
}

function legOf(of: { chain: 'main' | 'zone'; name: string; at: UnixMs | null; hash: string | undefined }): {
  readonly hash: string | null
  readonly at: UnixMs | null
} {
  if (of.at === null && of.hash === undefined) return { hash: null, at: null }
  return { hash: of.hash?.toLowerCase() ?? hashOf(`${of.chain} ${of.name}`), at: of.at }
}

function toMoney(
  file: Pick<TestFile, 'bridge'>,
  text: RecordText,
): Pick<Observation, 'token' | 'value' | 'amountRaw'> {
  const token = text.token === undefined ? (file.bridge?.tokens[0]?.symbol ?? 'USDC') : text.token
  const listed = findToken(file, token)
  const value = text.amount ?? (text.amountRaw === undefined ? '1' : null)
  const amountRaw =
    text.amountRaw === undefined ? toBaseUnits(value, listed?.decimals ?? null) : BigInt(text.amountRaw)
  return { token: (listed?.address ?? token).toLowerCase(), value, amountRaw }
}

/** Null where the decimals are not known, or are too few for the amount. */
export function toBaseUnits(value: string | null, decimals: number | null): bigint | null {
  const parsed = value === null ? null : parseDecimal(value)
  if (parsed === null || decimals === null || parsed.scale > decimals) return null
  return parsed.digits * 10n ** BigInt(decimals - parsed.scale)
}

/** The hash of a leg that a test gives none: the same for the same name. */
function hashOf(name: string): string {
  return `0x${createHash('sha256').update(name).digest('hex')}`
}

function addressOf(name: string): string {
  return hashOf(name).slice(0, 42)
}
