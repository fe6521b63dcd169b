import { expect, test } from 'vitest'
import type { Accounts } from '../../../../../src/checks/escrow/accounts/readAccounts.ts'
import { fc, timesOf, seeds } from '../../../../support/fastCheck.ts'
import { type Happening, happenings, leastAmount, play, truthAt } from './world.ts'

const baseline = 1_000_000_000n

const happening = fc.record({
  what: fc.constantFrom(...happenings),
  amount: fc.bigInt({ min: leastAmount, max: 9_000_000n }),
  at: fc.integer({ min: -300, max: 600 }),
  takes: fc.integer({ min: 1, max: 400 }),
  recordAfter: fc.integer({ min: 0, max: 40 }),
  flowAfter: fc.integer({ min: 0, max: 40 }),
})

function plain(what: Happening['what'], overrides: Partial<Happening> = {}): Happening {
  return { what, amount: 5_000_000n, at: 100, takes: 60, recordAfter: 5, flowAfter: 5, ...overrides }
}

async function readAll(all: readonly Happening[], seconds: readonly number[]) {
  const world = await play(all, baseline)
  const read = seconds.map((second) => world.at(second))
  world.close()
  return read
}

for (const what of happenings)
  test(`one ${what} alone, before, between and after`, async () => {
    const all = [plain(what)]
    const seconds = [99, 100, 130, 160, 500]
    const read = await readAll(all, seconds)
    expect(read.map(toTruth)).toEqual(seconds.map((second) => truthAt(all, second, baseline)))
  })

function toTruth({
  holdings,
  claims,
  toZone,
  toMain,
  fees,
  lost,
  found,
}: Awaited<ReturnType<typeof readAll>>[number]) {
  return { held: holdings, claims, toZone, toMain, fees, stolen: -lost, given: found }
}

/** What was stolen before accounts were opened is in what they began with: they say what happened since. */
function truthSince(all: readonly Happening[], second: number) {
  const [before, now] = [0, second].map((at) => truthAt(all, at, baseline))
  if (!before || !now) throw new Error('two moments make two truths')
  const opening = before.held - before.toZone - before.toMain
  return {
    ...now,
    claims: opening + now.claims - before.claims,
    fees: now.fees - before.fees,
    stolen: now.stolen - before.stolen,
    given: now.given - before.given,
  }
}

test.each([
  { older: 'deposit', newer: 'withdrawal' },
  { older: 'withdrawal', newer: 'deposit' },
] as const)(
  'while no movement is listed for long a $older is not lost, nor found, by a $newer of a moment ago',
  async ({ older, newer }) => {
    const unlisted = { flowAfter: 2_000 }
    const all = [plain(older, unlisted), plain(newer, { ...unlisted, at: 500, amount: 3_000_000n })]
    const unexplained: bigint[] = []
    const world = await play(all, baseline, (second, accountsAt) => {
      const { lost, found } = accountsAt(second, truthAt(all, second, baseline).held)
      unexplained.push(lost, found)
    })
    world.close()
    expect(unexplained.filter((amount) => amount !== 0n)).toEqual([])
  },
)

const day = 86_400

test.each([
  { title: 'left a week before and was paid since', at: -8 * day, takes: 8 * day + 100, shownAfter: 5 },
  { title: 'was shown a week after it was paid', at: 100, takes: 60, shownAfter: 8 * day },
])('a withdrawal that $title is counted in full', async ({ at, takes, shownAfter }) => {
  const late = { at, takes, recordAfter: shownAfter, flowAfter: shownAfter }
  const all = [plain('withdrawal', late)]
  const seconds = [at + takes + shownAfter + 60, at + takes + shownAfter + 500]
  const read = await readAll(all, seconds)
  expect(read.map(toTruth)).toEqual(seconds.map((second) => truthAt(all, second, baseline)))
})

test.each(seeds())('in any world every account is what the chains say, seed %i', async (seed) => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 12 }), async (all) => {
      const seconds = [1, 60, 333, 700, 1_100]
      const read = await readAll(all, seconds)
      expect(read.map(toTruth)).toEqual(seconds.map((second) => truthSince(all, second)))
      expect(read.map(sumUp)).toEqual(read.map(({ holdings }) => holdings))
    }),
    { seed, numRuns: timesOf(60, seed) },
  )
})

function sumUp({ claims, toZone, toMain, fees, open, lost, found }: Accounts): bigint {
  return claims + toZone + toMain + fees + open + lost + found
}
