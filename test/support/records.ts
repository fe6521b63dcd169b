import type { Observation } from '../../src/bridge/observation.ts'
import type { LegEvidence, TokenMove, Transfer } from '../../src/bridge/transfer.ts'

export const hash = (name: string) => `0x${Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64)}`

/** A completed withdrawal of 1.5 USDC as E3 gives it; tests override what they are about. */
export function toRecord(overrides: Partial<Observation> = {}): Observation {
  return {
    source: 'E3',
    requestedAt: 1_000_000,
    id: null,
    direction: 'ZoneToMain',
    crossType: 'Withdraw',
    status: 'success',
    mainHash: hash('main'),
    mainHeight: 500,
    mainTime: 900_000,
    zoneHash: hash('zone'),
    zoneHeight: 5_000,
    zoneTime: 800_000,
    from: '0xf0',
    to: '0xf1',
    sourceAddress: '0xaa',
    targetAddress: '0xbb',
    value: '1.5',
    amountRaw: 1_500_000n,
    token: '0xcc',
    tokenType: 'ERC20',
    tokenId: '',
    tokenName: 'USD Coin',
    zoneEventIndex: null,
    zoneBlockHash: null,
    batchDetail: null,
    updateTime: null,
    pushHeight: null,
    ...overrides,
  }
}

/** The same record while its far side is still empty. */
export function toPending(overrides: Partial<Observation> = {}): Observation {
  const isDeposit = overrides.direction === 'MainToZone'
  return toRecord({
    ...(isDeposit
      ? { zoneHash: null, zoneHeight: null, zoneTime: null }
      : { mainHash: null, mainHeight: null, mainTime: null }),
    ...overrides,
  })
}

/** What an escrow moves for a payout. */
export function toMove({ token, targetAddress, amountRaw }: Observation): TokenMove {
  return { token, from: '0xescrow', to: targetAddress, amountRaw, amount: null, tokenId: '' }
}

/** What the zone's own transaction of a transfer says of its amount. */
export function toZoneWord(
  { zone }: Pick<Transfer, 'zone'>,
  said: Pick<LegEvidence, 'amount' | 'amountRaw'>,
): LegEvidence {
  const of = { chain: 'zone', hash: zone?.hash ?? '', source: 'E9', at: 1 } as const
  return { ...of, errorMessage: '', status: 'success', moves: null, ...said }
}
