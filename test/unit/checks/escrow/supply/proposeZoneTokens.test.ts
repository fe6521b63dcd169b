import { expect, test } from 'vitest'
import type { LegEvidence, Transfer } from '../../../../../src/bridge/transfer.ts'
import { proposeZoneTokens } from '../../../../../src/checks/escrow/supply/proposeZoneTokens.ts'

const token = `0x${'aa'.repeat(20)}`
const credited = `0x${'cc'.repeat(20)}`
const other = `0x${'dd'.repeat(20)}`
const recipient = `0x${'ee'.repeat(20)}`
const hash = `0x${'12'.repeat(32)}`

const said = (of: Partial<LegEvidence>): LegEvidence => ({
  chain: 'zone',
  hash,
  source: 'zoneRpc',
  at: 0,
  status: 'success',
  errorMessage: '',
  moves: null,
  ...of,
})
const mint = (contract: string, to = recipient) =>
  said({
    moves: [{ token: contract, from: `0x${'0'.repeat(40)}`, to, amountRaw: 5n, amount: null, tokenId: '' }],
  })
const action = (contract: string) =>
  said({ source: 'E9', action: JSON.stringify({ type: 'deposit', token: contract }) })

type Deposit = Parameters<typeof proposeZoneTokens>[0] extends Iterable<infer T> ? T : never
const deposit = (evidence: readonly LegEvidence[], more: Partial<Transfer> = {}): Deposit => ({
  direction: 'MainToZone',
  state: 'completed',
  token: { address: token, symbol: null, name: null, type: 'ERC20', id: '' } as unknown as Transfer['token'],
  zone: { chain: 'zone', hash, height: 1, time: 0 },
  targetAddress: recipient,
  evidence,
  ...more,
})
const times = (count: number, one: Deposit) => Array.from({ length: count }, () => one)

test.each([
  ['the node of the zone', mint(credited)],
  ['the action of the zone', action(credited)],
])('what credited every deposit by %s is proposed', (_, one) => {
  expect(proposeZoneTokens(times(3, deposit([one])))).toEqual([
    { token, zoneAddress: credited, agree: 3, deposits: 3 },
  ])
})

test.each<readonly [string, Deposit[]]>([
  ['too few', times(2, deposit([mint(credited)]))],
  ['two contracts in turn', [...times(9, deposit([mint(credited)])), deposit([mint(other)])]],
  ['sources that name different ones', times(5, deposit([mint(credited), action(other)]))],
  ['a movement to somebody else', times(5, deposit([mint(credited, other)]))],
  ['withdrawals', times(5, deposit([mint(credited)], { direction: 'ZoneToMain' }))],
  ['what is on its way', times(5, deposit([mint(credited)], { state: 'pending' }))],
  ['what was said of another transaction', times(5, deposit([{ ...mint(credited), hash: 'another' }]))],
  ['an action that is no JSON', times(5, deposit([said({ action: '{' })]))],
  ['no contract', times(5, deposit([action('everything')]))],
])('of %s nothing is proposed', (_, deposits) => {
  expect(proposeZoneTokens(deposits)).toEqual([])
})

test('one stray among twenty does not hide the rest', () => {
  const all = [...times(19, deposit([mint(credited)])), deposit([mint(other)])]
  expect(proposeZoneTokens(all)).toEqual([{ token, zoneAddress: credited, agree: 19, deposits: 20 }])
})
