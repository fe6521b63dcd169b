import { fromBaseUnits, formatDecimal, negate } from '../../../../../src/bridge/decimal.ts'
import type { Observation } from '../../../../../src/bridge/observation.ts'
import type { EvidenceReading } from '../../../../../src/ledger/evidence/evidence.ts'
import { type Accounts, readAccounts } from '../../../../../src/checks/escrow/accounts/readAccounts.ts'
import { accountFlows, openAccounts } from '../../../../../src/checks/escrow/explaining/keepAccounts.ts'
import { escrow as escrowCheck } from '../../../../../src/checks/escrow/check.ts'
import { saveFlows } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { readEscrowToken, startOwed } from '../../../../../src/checks/escrow/owed/owedStore.ts'
import { checkFlows } from '../../../../../src/checks/escrow/explaining/pollChecks.ts'
import { openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { hash, toRecord } from '../../../../support/records.ts'
import { createTestKernel, noSignal } from '../../support.ts'

const token = '0xcc'
const escrow = `0x${'bb'.repeat(20)}`
const decimals = 6
/** At most so much is kept of a withdrawal, base units. */
const mostFee = 10_000n
/** Of less nobody can say that it was paid too much: a fee may go beside a payout, and a list may round its last digit. */
export const leastAmount = mostFee + 2n

export const happenings = [
  'deposit',
  'deposit under way',
  'withdrawal',
  'withdrawal with a fee',
  'withdrawal under way',
  'drain',
  'payout without origin',
  'paid too much',
  'paid twice',
  'credited without a lock',
  'gift',
] as const
/** One thing that happens on a bridge: what it is, of how much, and how late each side is shown. */
export interface Happening {
  readonly what: (typeof happenings)[number]
  readonly amount: bigint
  /** Seconds after the first block. */
  readonly at: number
  /** Seconds from one chain to the other, and until the record and the movement are shown. */
  readonly takes: number
  readonly recordAfter: number
  readonly flowAfter: number
}

/** What truly is at a height, base units. */
export interface Truth {
  held: bigint
  claims: bigint
  toZone: bigint
  toMain: bigint
  fees: bigint
  stolen: bigint
  given: bigint
}

const firstHeight = 1_000
const settleMs = 1_800_000
const begin = 1_000_000_000

/** Seconds from a payout to the one that nothing is owed for. */
const againAfter = 20

interface Side {
  readonly main: number | null
  readonly zone: number | null
}

/** When each side happens, in seconds; null for never. */
function sidesOf({ what, at, takes }: Happening): Side {
  switch (what) {
    case 'deposit':
      return { main: at, zone: at + takes }
    case 'deposit under way':
      return { main: at, zone: null }
    case 'withdrawal':
    case 'withdrawal with a fee':
    case 'paid too much':
    case 'paid twice':
      return { main: at + takes, zone: at }
    case 'withdrawal under way':
      return { main: null, zone: at }
    case 'credited without a lock':
      return { main: at, zone: at + takes }
    case 'drain':
    case 'gift':
    case 'payout without origin':
      return { main: at, zone: null }
  }
}

/** When it is paid once more, in seconds; null for never. */
function againAt({ what, at, takes }: Happening): number | null {
  return what === 'paid twice' ? at + takes + againAfter : null
}

/** What the escrow's balance changes by each time, base units. */
function movedBy({ what, amount }: Happening): bigint {
  switch (what) {
    case 'deposit':
    case 'deposit under way':
    case 'gift':
      return amount
    case 'withdrawal':
    case 'drain':
    case 'payout without origin':
    case 'paid twice':
      return -amount
    case 'withdrawal with a fee':
      return -(amount - mostFee)
    case 'paid too much':
      return -2n * amount
    case 'withdrawal under way':
    case 'credited without a lock':
      return 0n
  }
}

/** What the chains say at a second, whatever spanwatch was shown. */
export function truthAt(all: readonly Happening[], second: number, baseline: bigint): Truth {
  return followTruth(all, baseline)(second)
}

/** The same at ever later seconds: each costs what happened since the one before. */
export function followTruth(all: readonly Happening[], baseline: bigint): (second: number) => Truth {
  const truth = { held: baseline, claims: baseline, toZone: 0n, toMain: 0n, fees: 0n, stolen: 0n, given: 0n }
  const sides = all
    .flatMap((one) => {
      const { main, zone } = sidesOf(one)
      return [
        { one, at: main, on: 'main' },
        { one, at: zone, on: 'zone' },
        { one, at: againAt(one), on: 'again' },
      ] as const
    })
    .filter(({ at }) => at !== null)
    .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
  let next = 0
  return (second) => {
    for (let side = sides[next]; side && (side.at ?? 0) <= second; side = sides[(next += 1)]) {
      if (side.on !== 'zone') truth.held += movedBy(side.one)
      if (side.on === 'again') truth.stolen += side.one.amount
      else tell(truth, side.one, { isOnMain: side.on === 'main', isOnZone: side.on === 'zone' })
    }
    return { ...truth }
  }
}

function tell(
  truth: Truth,
  { what, amount }: Happening,
  { isOnMain, isOnZone }: { readonly isOnMain: boolean; readonly isOnZone: boolean },
): void {
  const isDeposit = what.startsWith('deposit')
  if (isDeposit && isOnMain) truth.toZone += amount
  if (isDeposit && isOnZone) {
    truth.toZone -= amount
    truth.claims += amount
  }
  if (/^withdrawal|^paid/.test(what) && isOnZone) {
    truth.claims -= amount
    truth.toMain += amount
  }
  if (/^withdrawal|^paid/.test(what) && isOnMain) truth.toMain -= amount
  if (what === 'withdrawal with a fee' && isOnMain) truth.fees += mostFee
  if (/^drain|^payout|^paid too much/.test(what) && isOnMain) truth.stolen += amount
  if (what === 'credited without a lock' && isOnZone) {
    truth.claims += amount
    truth.stolen += amount
  }
  if (what === 'gift' && isOnMain) truth.given += amount
}

/** The accounts at a second, given what truly was held. */
type AccountsAt = (second: number, held: bigint) => Accounts

/** Seconds. */
const hour = 3_600

/**
 * spanwatch's escrow check, shown all that happened, each side in its own time, and settled.
 * @param onMinute runs after each look: each minute, or each hour where nothing happens for hours
 */
export async function play(
  all: readonly Happening[],
  baseline: bigint,
  onMinute: (second: number, accountsAt: AccountsAt) => void = () => {},
) {
  const bridge = {
    ...noBridge,
    escrows: [{ address: escrow, token, baseline: null }],
    tokens: [{ address: token, symbol: 'USDC', decimals }],
    fees: [{ token, direction: 'ZoneToMain' as const, max: '0.01' }],
  }
  const shown = new Map<string, Observation>()
  const opened = createTestKernel({ start: begin, config: { bridge } })
  const feedByHash = async (wanted: string) => ({
    requestedAt: opened.clock.now(),
    records: [shown.get(wanted) ?? []].flat(),
    bad: [],
  })
  const kernel = { ...opened, reads: { ...opened.reads, feedByHash } }
  const { clock, commit, cursors, db, list } = kernel
  const check = escrowCheck.open(kernel)
  kernel.hooks.push(check)
  const watch = openEscrowWatch(kernel)
  const of = { ...kernel, watch }
  cursors.write({ ...cursors.read(), history: { ...cursors.read().history, done: true } })
  const startAt = { height: firstHeight, time: begin }
  const steps = all
    .flatMap((one, index) => stepsOf(one, index))
    .toSorted((a, b) => a.second - b.second || a.order - b.order)
  let nextStep = 0
  const run = (until: number) => {
    for (let step = steps[nextStep]; step && step.second <= until; step = steps[(nextStep += 1)]) step.run()
  }
  function stepsOf(one: Happening, index: number) {
    const { main, zone } = sidesOf(one)
    const again = againAt(one)
    const showRecord = (record: Observation | null, payouts = ['m']) => {
      if (record === null) return
      if (record.mainHash !== null) shown.set(record.mainHash, record)
      commit({ answers: [[{ ...record, requestedAt: clock.now() }]] })
      const requestedAt = clock.now()
      for (const reading of evidenceOf(one, index, { payouts, requestedAt })) commit({ evidence: [reading] })
    }
    const records = [main, zone].flatMap((at) => {
      const show = () => showRecord(recordOf(one, index, at ?? 0))
      return at === null ? [] : [{ second: at + one.recordAfter, order: index, run: show }]
    })
    const moved = movedBy(one)
    if (main === null || moved === 0n) return records
    const net = fromBaseUnits(moved, decimals)
    const flowOf = (name: string, at: number) => ({
      escrow,
      token,
      hash: hash(`${name}${index}`),
      height: firstHeight + at,
      at: begin + at * 1_000,
      net,
      outward: negate(net),
      party: '0xbb',
      gross: [],
    })
    const save = (flow: ReturnType<typeof flowOf>) => () =>
      commit({
        apply: (now) => {
          saveFlows(db, [flow], now, 0)
          accountFlows(of, [flow], now)
          return []
        },
      })
    const first = { second: main + one.flowAfter, order: index, run: save(flowOf('m', main)) }
    if (again === null) return [...records, first]
    const show = () => showRecord(recordOf(one, index, again, { name: 'n', at: again }), ['m', 'n'])
    return [
      ...records,
      first,
      { second: again + one.recordAfter, order: index, run: show },
      { second: again + one.flowAfter, order: index, run: save(flowOf('n', again)) },
    ]
  }
  run(0)
  commit({
    apply: (now) => {
      startOwed(db, token, startAt, truthAt(all, 0, baseline).held)
      openAccounts(of, token, now)
      return []
    },
  })
  const lastSecond = steps.at(-1)?.second ?? 0
  await settleUntil(lastSecond)
  async function settleUntil(last: number) {
    for (let second = 0; second < last; ) {
      // A look at each minute of days in which nothing happens shows nothing new.
      const passed = steps[nextStep - 1]?.second ?? 0
      const isQuiet = second - passed > 2 * hour && (steps[nextStep]?.second ?? last) - second > 2 * hour
      const took = isQuiet ? hour : 60
      await clock.advance(took * 1_000)
      second += took
      run(second)
      await look()
      check.prune?.(clock.now())
      onMinute(second, accountsAt)
    }
    for (let waited = 0; waited < settleMs; waited += 60_000) {
      await clock.advance(60_000)
      await look()
    }
  }
  function accountsAt(second: number, held: bigint) {
    return readAccounts(
      db,
      { token, baseline: readEscrowToken(db, token)?.baseline ?? 0n },
      { height: firstHeight + second, time: begin + second * 1_000, holdings: held },
    )
  }
  async function look() {
    const now = clock.now()
    for (const chain of ['main', 'zone', 'main', 'zone'] as const)
      commit({
        heads: [{ chain, height: 10_000_000 + now / 1_000, blockTime: now, requestedAt: now }],
      })
    list.readAt = now
    await checkFlows(of, noSignal)
  }
  return {
    at: (second: number) => accountsAt(second, truthAt(all, second, baseline).held),
    close: () => db.close(),
  }
}

/** The record as the list shows it once a second has happened; null where it never does. */
function recordOf(
  one: Happening,
  index: number,
  second: number,
  payout = { name: 'm', at: sidesOf(one).main ?? 0 },
): Observation | null {
  const { what, amount } = one
  if (what === 'drain' || what === 'gift') return null
  const isDeposit = /deposit|lock/.test(what)
  const { main, zone } = sidesOf(one)
  const isMain = main !== null && main <= second
  const isZone = (zone !== null && zone <= second) || what === 'payout without origin'
  return toRecord({
    direction: isDeposit ? 'MainToZone' : 'ZoneToMain',
    crossType: isDeposit ? 'Deposit' : 'Withdraw',
    status: isMain && isZone ? 'success' : 'unknown',
    value: formatDecimal(fromBaseUnits(amount, decimals)),
    amountRaw: amount,
    token,
    id: payout.name === 'm' ? `id${index}` : `again${index}`,
    zoneEventIndex: '1',
    mainHash: isMain ? hash(`${payout.name}${index}`) : null,
    mainHeight: isMain ? firstHeight + payout.at : null,
    mainTime: isMain ? begin + payout.at * 1_000 : null,
    zoneHash: isZone ? hash(`z${index}`) : null,
    zoneHeight: isZone ? 5_000 + index : null,
    zoneTime: isZone ? begin + (zone ?? (main ?? 0) - 1) * 1_000 : null,
  })
}

/** What second sources say of an origin that is not there, and of payouts of which each counts. */
function evidenceOf(
  { what }: Happening,
  index: number,
  { payouts, requestedAt }: { readonly payouts: readonly string[]; readonly requestedAt: number },
): EvidenceReading[] {
  const absent = { status: 'absent', errorMessage: '', moves: null, requestedAt } as const
  const stands = { ...absent, status: 'success', chain: 'main', source: 'E13' } as const
  if (what === 'paid twice') return payouts.map((name) => ({ ...stands, hash: hash(`${name}${index}`) }))
  if (what === 'payout without origin')
    return [{ ...absent, chain: 'zone', hash: hash(`z${index}`), source: 'E9' }]
  if (what === 'credited without a lock')
    return [{ ...absent, chain: 'main', hash: hash(`m${index}`), source: 'E13' }]
  return []
}
