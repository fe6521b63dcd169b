import { expect, test } from 'vitest'
import { createBridgeWorld, escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'
import { runLeaping } from '../support/leapingScenario.ts'

const minute = 60_000

/** The first line of each message about a word, as Slack shows it. */
const headlines = (told: readonly string[], word: RegExp) =>
  told.filter((text) => word.test(text)).map((text) => text.split('\n')[0] ?? '')

test('semantics.md 49: an unbacked payout and what left the escrow by it are one accusation', async () => {
  const one = await runLeaping({
    scenario: `name: theft
seed: 7
timeline:
  - { at: 60s, fault: transfer.unbacked, token: USDC, amount: "54321.5" }
`,
  })
  await one.untilTold('transfer.unbacked', 5 * minute)
  await one.untilTold('escrow.drift', 5 * minute)
  await one.pass(3 * minute)
  const told = headlines(one.told(), /54,321\.5/)
  expect(told.filter((line) => !line.startsWith('🔴 CRITICAL, update'))).toEqual([
    expect.stringMatching(/^🔴 CRITICAL: Withdrawal of 54,321\.5 USDC arrived without proof that it left/),
  ])
  expect(one.told().join('\n')).toMatch(
    /update(?: of alert #\w+ \(transfer-unbacked\))?: 54,321\.5 USDC left the escrow/,
  )
  expect(told.join('\n')).not.toContain('resolved')
}, 300_000)

test('semantics.md 49: an outflow that was told before its payout has a record and that payout are one accusation', async () => {
  const world = await createEscrowWorld({
    prepare(bare) {
      for (let n = 0; n < 3; n += 1) bare.deposit(n, { amount: '500' })
    },
  })
  await world.pass(100_000)
  const hash = world.transact({ moves: [{ token, from: escrow, to: user(77), amount: '313' }] })
  const [mainBlockTime, zoneBlockTime] = [0, 20_000].map((ms) => String(world.now() - ms))
  const drifts = () => world.conditions().filter(({ kind }) => kind === 'escrow.drift')
  await world.until(() => drifts().length === 1, 'the drift')
  const record = world.withdraw(77, {
    mainTxHash: hash,
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: mainBlockTime ?? '',
    zoneBlockTime: zoneBlockTime ?? '',
    targetAddress: user(77),
    tokenContractAddress: token,
    value: '313',
    valueRaw: '313000000',
  })
  world.fake.zoneTransactions.delete(record['zoneTxHash'] ?? '')
  await world.until(() => world.told('transfer.unbacked').length === 1, 'the payout')
  await world.pass(2 * minute)
  const told = headlines(world.monitor.told(), /313/)
  expect(told).toEqual([
    expect.stringMatching(/CRITICAL: 313 \S+ left the escrow/),
    expect.stringMatching(
      /^🔴 CRITICAL, update of alert #\w+ \(escrow-outflow\): Withdrawal of 313 USDC arrived/,
    ),
  ])
}, 300_000)

test('semantics.md 49: of two payouts that one outflow cannot have paid both the second is told by itself', async () => {
  const world = await createEscrowWorld({
    prepare(bare) {
      for (let n = 0; n < 3; n += 1) bare.deposit(n, { amount: '500' })
    },
  })
  await world.pass(100_000)
  const hash = world.transact({ moves: [{ token, from: escrow, to: user(77), amount: '313' }] })
  const drifts = () => world.conditions().filter(({ kind }) => kind === 'escrow.drift')
  await world.until(() => drifts().length === 1, 'the drift')
  for (const [n, amount] of [
    [77, '311'],
    [78, '309'],
  ] as const) {
    const record = world.withdraw(n, {
      mainTxHash: hash,
      mainBlockHeight: String(world.fake.mainHead()),
      mainBlockTime: String(world.now()),
      zoneBlockTime: String(world.now() - 20_000),
      targetAddress: user(n),
      tokenContractAddress: token,
      value: amount,
      valueRaw: `${amount}000000`,
    })
    world.fake.zoneTransactions.delete(record['zoneTxHash'] ?? '')
  }
  await world.until(() => world.told('transfer.unbacked').length === 2, 'both payouts')
  await world.pass(2 * minute)
  const told = headlines(world.monitor.told(), /(311|309) USDC arrived/)
  expect(told.filter((line) => line.includes('update of'))).toHaveLength(1)
  expect(told).toHaveLength(2)
}, 300_000)

test('semantics.md 49: a second payout of one withdrawal is told as such first, not as a record that differs', async () => {
  const action = (n: number) => ({ type: 'withdraw', qty: `${100 + n}000000`, receiver: user(n) })
  const pay = (
    world: Pick<EscrowWorld, 'transact' | 'withdraw' | 'zone' | 'fake' | 'now'>,
    n: number,
    id = '',
  ) => {
    const hash = world.transact({ moves: [{ token, from: escrow, to: user(n), amount: String(100 + n) }] })
    const record = world.withdraw(n, {
      zoneTxHash: `0x${n.toString(16).padStart(64, 'a')}`,
      zoneEventIndex: '3',
      mainTxHash: hash,
      mainBlockHeight: String(world.fake.mainHead()),
      mainBlockTime: String(world.now()),
      ...(id !== '' && { id }),
    })
    const { value = '', valueRaw = '', zoneTxHash = '' } = record
    world.zone(zoneTxHash, { value, valueRaw, actionData: JSON.stringify(action(n)) })
  }
  const world = await createEscrowWorld({
    prepare(bare) {
      for (let n = 1; n <= 8; n += 1) pay(bare, n)
    },
  })
  await world.pass(100_000)
  expect(world.told()).toEqual([])
  pay(world, 5, '987654')
  await world.until(() => world.told('transfer.duplicate').length === 1, 'the second payout')
  await world.pass(2 * minute)
  expect(headlines(world.monitor.told(), /105 USDC/).filter((line) => !line.includes('update of'))).toEqual([
    expect.stringMatching(/^🔴 CRITICAL: [^\n]*paid/),
  ])
}, 300_000)

test('semantics.md 49: an outflow beyond the unbacked payout is told by itself', async () => {
  const one = await runLeaping({
    scenario: `name: theft
seed: 7
timeline:
  - { at: 60s, fault: transfer.unbacked, token: USDC, amount: "54321.5" }
  - { at: 62s, fault: escrow.drained, token: USDC, amount: "777777" }
`,
  })
  await one.untilTold('transfer.unbacked', 5 * minute)
  await one.pass(5 * minute)
  const [first = ''] = one.told().filter((text) => text.includes('777777 USDC left the escrow'))
  expect(first).not.toMatch(/update of alert [^\n]*777777 USDC left/)
}, 300_000)

test('the end of a sum whose movements are told one by one is not good news', async () => {
  const one = await runLeaping({
    scenario: `name: theft
seed: 7
timeline:
  - { at: 60s, fault: escrow.drained, token: WETH, amount: "100", count: 40 }
`,
  })
  await one.pass(5 * minute)
  const told = one.told().join('\n')
  expect(told).toMatch(
    /ended at \S+ UTC after [^(\n]+\(what it summed is reported one by one\): [^\n]*WETH, not explained yet/,
  )
  expect(told).not.toMatch(/resolved [^\n]*not explained yet/)
}, 300_000)

test('a stalled withdrawal that fails is told as failed, and its end is not good news', async () => {
  const world = await createBridgeWorld({
    rules: `rules:
  - { name: failed, on: transfer.failed, severity: critical }
  - { name: stalled, on: transfer.stalled, with: { after: 5m }, severity: critical }
  - { name: slow, on: transfer.stalled, with: { after: 6m }, severity: warning }
`,
  })
  const record = world.withdraw(1, { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' })
  await world.pass(8 * minute)
  Object.assign(record, { status: '0x0', updateTime: String(world.now()) })
  await world.until(() => world.told('transfer.failed').length === 1, 'the failure')
  await world.pass(2 * minute)
  const told = headlines(world.monitor.told(), /101 USDC/)
  expect(told).toEqual([
    expect.stringMatching(/^🔴 CRITICAL: Withdrawal of 101 USDC has not arrived after 5m/),
    expect.stringMatching(/^🔴 CRITICAL: Withdrawal of 101 USDC failed/),
    expect.stringMatching(
      /^⚪ CRITICAL, ended at \S+ UTC after [^:]+: Withdrawal of 101 USDC failed; alert #\w+ \(failed\) stands/,
    ),
  ])
}, 300_000)

test('the drill tells what its faults explain, and nothing else', async () => {
  const one = await runLeaping({ scenario: 'every-transfer-fault' })
  await one.pass(9 * minute)
  const kinds = one.alerts().map(({ kind }) => kind)
  const count = (kind: string) => kinds.filter((found) => found === kind).length
  expect([...new Set(kinds)].sort()).toEqual([
    'batch.mismatch',
    'batch.unresolved',
    'escrow.drift',
    'escrow.shortfall',
    'transfer.duplicate',
    'transfer.failed',
    'transfer.mismatch',
    'transfer.out_of_order',
    'transfer.stalled',
    'transfer.unbacked',
  ])
  // Two payouts without an origin: by each the same left the escrow, and no more is missing.
  expect([count('transfer.unbacked'), count('escrow.drift')]).toEqual([2, 2])
  const drifts = one.alerts().filter(({ kind }) => kind === 'escrow.drift')
  expect(drifts.every(({ subject }) => /:0x[0-9a-f]{64}$/.test(subject))).toBe(true)
  // What is missing comes along with what left, in the first message where that was not sent yet, else as an update.
  const told = headlines(one.told(), /are missing/)
  expect(told.length).toBeGreaterThan(0)
  const isOfOutflow = /^🔴 CRITICAL(?:, update[^:]*)?: .* left the escrow .*; also escrow/
  expect(told.filter((line) => !line.startsWith('🔴 CRITICAL, update') && !isOfOutflow.test(line))).toEqual(
    [],
  )
}, 300_000)
