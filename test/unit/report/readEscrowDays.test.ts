import { expect, onTestFinished, test } from 'vitest'
import { fromBaseUnits, toDecimal } from '../../../src/bridge/decimal.ts'
import type { EscrowFlow } from '../../../src/checks/escrow/flows/flow.ts'
import { forgetFlow, saveFlows, saveGap } from '../../../src/checks/escrow/flows/flowStore.ts'
import { saveOwedJudgement, startOwed } from '../../../src/checks/escrow/owed/owedStore.ts'
import { saveAnchor } from '../../../src/checks/escrow/flows/readingStore.ts'
import { readEscrowDays } from '../../../src/report/readEscrowDays.ts'
import { firstStartName } from '../../../src/store/firstStart.ts'
import { saveMeta } from '../../../src/store/meta.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { hash } from '../../support/records.ts'
import { fc, timesOf } from '../../support/fastCheck.ts'

const usdc = `0x${'cc'.repeat(20)}`
const place = `0x${'ee'.repeat(20)}`
const second = 1_000
const day = 86_400 * second
const window = { from: 20_000 * day, until: 20_001 * day }
/** Blocks are two seconds apart, and one of them is made when the day ends. */
const blockMs = 2 * second
const lastOfBefore = 1_000_000
const timeOf = (height: number) => window.from + (height - lastOfBefore) * blockMs
const heightAt = (at: number) => lastOfBefore + Math.floor((at - window.from) / blockMs)
const baseline = 1_000_000_000n

/** Counting began an hour before the day; what is saved is of one escrow. */
function openEscrow(token: string) {
  const db = openDatabase(':memory:')
  const began = window.from - 3_600 * second
  startOwed(db, token, { height: heightAt(began), time: began }, baseline)
  const decimals = token === '' ? 18 : 6
  const move = (name: string, height: number, raw: bigint) => {
    const units = fromBaseUnits(raw, decimals)
    const outward = fromBaseUnits(-raw, decimals)
    const flow: EscrowFlow = {
      escrow: place,
      token,
      hash: hash(name),
      height,
      at: timeOf(height),
      net: units,
      outward,
      party: `0x${'ab'.repeat(20)}`,
      gross: [],
    }
    db.transaction(() => saveFlows(db, [flow], timeOf(height) + 10 * second, began))
  }
  /** Read of a block, some time after that was made. */
  const judge = (height: number, holdings: bigint, readAfterMs = 0) =>
    saveOwedJudgement(db, token, {
      owed: baseline,
      holdings,
      openOut: 0n,
      height,
      at: timeOf(height) + readAfterMs,
    })
  const read = ({
    settings = [{ address: usdc, symbol: 'USDC', decimals: 6 }],
    now = window.until + 8 * 3_600 * second,
  } = {}) => readEscrowDays(db, settings, window, now)?.[0]
  return { db, move, judge, read }
}

function createEscrow(token = usdc) {
  const escrow = openEscrow(token)
  onTestFinished(() => escrow.db.close())
  return escrow
}

test('what moved between the block of a balance and its reading is not taken off it', () => {
  const { move, judge, read } = createEscrow()
  const height = heightAt(window.until + 600 * second)
  move('day', heightAt(window.from + 600 * second), 5_000_000n)
  move('same block', height, 2_000_000n)
  judge(height, baseline + 7_000_000n, 9 * second)
  move('since', height + 2, 3_000_000n)
  expect(read()).toMatchObject({ opening: '1000', change: '5', closing: '1005', at: window.until })
})

test('a block that is made as the day ends is of the next one', () => {
  const { move, judge, read } = createEscrow()
  const last = heightAt(window.until)
  move('first of the day', heightAt(window.from), 1_000_000n)
  move('first of the next', last, 2_000_000n)
  judge(last + 100, baseline + 3_000_000n)
  expect(read()).toMatchObject({ opening: '1000', change: '1', closing: '1001' })
})

test('of a day that is over, and of which the last balance is not, no change is said', () => {
  const { move, judge, read } = createEscrow()
  move('day', heightAt(window.from + 600 * second), 5_000_000n)
  const height = heightAt(window.until - 600 * second)
  judge(height, baseline + 5_000_000n)
  move('late', height + 10, -4_000_000n)
  expect(read()).toMatchObject({ opening: null, change: null, closing: '1005', at: timeOf(height) })
  const today = read({ now: window.until - 500 * second })
  expect(today).toMatchObject({ opening: '1000', change: '5', closing: '1005', at: timeOf(height) })
})

test('a block of before the end that was read after it lacks what moved in between', () => {
  const { move, judge, read } = createEscrow()
  const height = heightAt(window.until) - 30
  judge(height, baseline, 120 * second)
  move('late', height + 10, 4_000_000n)
  expect(read()).toMatchObject({ opening: '1000', change: '4', closing: '1004', at: window.until })
})

test('what a change of balance and a movement that was listed late both show is counted once', () => {
  const { db, move, judge, read } = createEscrow()
  const height = heightAt(window.from + 600 * second)
  const change = fromBaseUnits(-9_000_000n, 6)
  saveGap(
    db,
    { escrow: place, token: usdc, height, fromHeight: height - 50, at: timeOf(height), change },
    timeOf(height),
  )
  move('before', height - 60, 1_000_000n)
  judge(heightAt(window.until) + 100, baseline - 8_000_000n)
  expect(read()).toMatchObject({ opening: '1000', change: '-8', closing: '992' })
  move('late', height - 10, -9_000_000n)
  expect(read()).toMatchObject({ opening: '1000', change: '-8', closing: '992' })
})

test('what a reorganisation took back, or put into another block, moved once or not at all', () => {
  const { db, move, judge, read } = createEscrow()
  const height = heightAt(window.from + 600 * second)
  move('gone', height, 3_000_000n)
  move('moved', height, 5_000_000n)
  saveAnchor(db, place, usdc, {
    height: height + 1,
    balance: baseline + 8_000_000n,
    readAt: timeOf(height + 1),
    misses: 0,
    missedAt: null,
  })
  db.transaction(() => forgetFlow(db, place, hash('gone'), timeOf(height + 10)))
  move('moved', height + 5, 5_000_000n)
  judge(heightAt(window.until) + 100, baseline + 5_000_000n)
  expect(read()).toMatchObject({ opening: '1000', change: '5', closing: '1005' })
})

test('the native currency has its decimals, and the symbol by which it is configured', () => {
  const { move, judge, read } = createEscrow('')
  move('day', heightAt(window.from + 600 * second), 7n)
  judge(heightAt(window.until + 600 * second), baseline + 7n)
  const native = { address: `0x${'Ee'.repeat(20)}`, symbol: 'ETH', decimals: 18 }
  expect(read({ settings: [] })).toMatchObject({
    token: { address: '', decimals: 18 },
    change: '0.000000000000000007',
  })
  expect(read({ settings: [native] })).toMatchObject({
    token: { address: '', symbol: 'ETH' },
  })
})

test('whatever moves, and whichever block was judged last: opening and change are the closing, and both are the chain’s', () => {
  const moves = fc.array(
    fc.record({
      height: fc.integer({ min: heightAt(window.from) - 500, max: heightAt(window.until) + 500 }),
      raw: fc.integer({ min: -400_000, max: 400_000 }).filter((one) => one !== 0),
    }),
    { maxLength: 25 },
  )
  fc.assert(
    fc.property(
      moves,
      fc.integer({ min: -20, max: 490 }),
      fc.integer({ min: 40, max: 90 }),
      (all, after, lag) => {
        const { db, move, judge, read } = openEscrow(usdc)
        const judged = heightAt(window.until) + after
        const heldAt = (isThere: (height: number) => boolean) =>
          all.reduce((sum, { height, raw }) => (isThere(height) ? sum + BigInt(raw) : sum), baseline)
        for (const [index, { height, raw }] of all.entries()) move(`m${index}`, height, BigInt(raw))
        judge(
          judged,
          heldAt((height) => height <= judged),
          lag * second,
        )
        const before = heldAt((height) => timeOf(height) < window.from)
        const then = heldAt((height) => timeOf(height) < window.until)
        const said = read()
        const rawOf = (text: string | null | undefined) => toDecimal(text ?? '')
        expect(rawOf(said?.opening)).toEqual(rawOf(String(Number(before) / 1e6)))
        expect(rawOf(said?.closing)).toEqual(rawOf(String(Number(then) / 1e6)))
        db.close()
      },
    ),
    { numRuns: timesOf(40) },
  )
})

test.each([
  { title: 'of which the first second was not watched', firstStart: window.from + second, change: null },
  { title: 'of which all was watched', firstStart: window.from, change: '5' },
])('what nothing explains, and the change, are known of a day $title: $change', ({ firstStart, change }) => {
  const { db, move, judge, read } = createEscrow()
  saveMeta(db, firstStartName, String(firstStart))
  const height = heightAt(window.from + 600 * second)
  move('day', height, 5_000_000n)
  judge(heightAt(window.until + 600 * second), baseline + 5_000_000n)
  const day = read()
  expect([day?.change, day?.unexplained]).toEqual([change, change === null ? null : undefined])
})
