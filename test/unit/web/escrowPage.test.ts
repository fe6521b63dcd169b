import { expect, test } from 'vitest'
import { noteAssumed, noteHeld, saveOwedJudgement } from '../../../src/checks/escrow/owed/owedStore.ts'
import { saveCompared } from '../../../src/checks/escrow/supply/supplyStore.ts'
import { firstStartName } from '../../../src/store/firstStart.ts'
import { saveMeta } from '../../../src/store/meta.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import type { WebDeps } from '../../../src/web/types.ts'
import { createFakeWeb, mainHash } from './support/fakeWeb.ts'

const usdc = `0x${'ab'.repeat(20)}`

async function ask(path: string, change: (deps: WebDeps) => Partial<WebDeps> = () => ({})) {
  const { deps } = createFakeWeb()
  const app = createWebApp({ ...deps, ...change(deps) }, { listenHost: '127.0.0.1', token: null })
  return app.request(`http://127.0.0.1${path}`)
}

const read = async (path: string, change?: (deps: WebDeps) => Partial<WebDeps>) =>
  (await (await ask(path, change)).text()).replaceAll('\n', '')

const textOf = (page: string) =>
  page
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll(/ ([.,;:])/g, '$1')

test('each token says what its escrows hold, owe, and the difference', async () => {
  const text = textOf(await read('/escrows'))
  expect(text).toContain('USDC 1,200 999 +201')
  expect(text).toContain('Judged 0s ago')
})

test('an assumed baseline says so, a configured one too', async () => {
  expect(textOf(await read('/escrows'))).toMatch(
    /The baseline is assumed: counting began \S+ \S+ UTC with 1,000 USDC, all that was held then/,
  )
  const configured = (deps: WebDeps) => (noteAssumed(deps.escrows.db, usdc, false), {})
  expect(textOf(await read('/escrows', configured))).toContain('with 1,000 USDC owed, as configured')
})

test('where nothing ever came to rest the page says so, and what to name', async () => {
  expect(textOf(await read('/escrows'))).not.toContain('Nothing rests here')
  const passing = (deps: WebDeps) => (noteHeld(deps.escrows.db, usdc, false), {})
  const text = textOf(await read('/escrows', passing))
  expect(text).toContain('Nothing rests here: what comes in is passed on, or burned')
  expect(text).toContain('If USDC lies at another address, name that in bridge.escrows')
})

const compared = {
  token: usdc,
  opening: 0n,
  openedAt: 0,
  comparisons: 3,
  excesses: 0,
  judged: {
    height: 4_711,
    blockTime: Date.UTC(2026, 2, 8),
    readAt: 0,
    decimals: 6,
    supply: 1_200_000_000n,
    claims: 1_200_000_000n,
    backing: 1_200_000_000n,
    excess: 0n,
    over: 0n,
  },
}

test('what existed on the zone from the first on, and could be claimed, proves the baseline', async () => {
  const proven = (deps: WebDeps) => (saveCompared(deps.escrows.db, compared), {})
  const text = textOf(await read('/escrows', proven))
  expect(text).toContain('all that existed on the zone chain then could be claimed: the baseline is proven.')
  expect(text).toMatch(/1,200 USDC exist on the zone chain at its block 4,711, .+; 1,200 can be claimed\./)
})

test('what exists beyond what was locked stands out, and proves nothing', async () => {
  const judged = { ...compared.judged, supply: 1_203_000_000n, excess: 3_000_000n }
  const excess = (deps: WebDeps) => (
    saveCompared(deps.escrows.db, { ...compared, judged, opening: 3_000_000n }), {}
  )
  const text = textOf(await read('/escrows', excess))
  expect(text).toContain('3 more than was locked: 1,203 USDC exist on the zone chain')
  expect(text).toContain('The baseline is assumed')
})

test('what is held stands account by account, and what is not explained in any case', async () => {
  const accounts = {
    holdings: 1_200_000_000n,
    claims: 1_190_000_000n,
    toZone: 0n,
    toMain: 20_000_000n,
    fees: 500_000n,
    open: 0n,
    lost: -10_500_000n,
    found: 0n,
    gas: 0n,
  }
  const judged = { owed: 1_210_500_000n, holdings: 1_200_000_000n, openOut: 0n, height: 200, at: 1 }
  const kept = (deps: WebDeps) => (saveOwedJudgement(deps.escrows.db, usdc, judged, accounts), {})
  expect(textOf(await read('/escrows', kept))).toContain(
    'Claims of holders on the zone 1,190 On its way from the zone 20 Fees kept 0.5 Not explained −10.5 Held 1,200',
  )
})

test('the course says where it begins, and keeps a moment in which something lacked', async () => {
  const page = await read('/escrows?period=hour')
  expect(textOf(page)).toMatch(/From 2026-03-08 10:2\d:00 UTC: nothing older is kept/)
  expect(page).toContain('below zero in 1 of them')
  expect(page).toContain('<span class="amount tone-critical" title="−1">−1</span>')
  const chart = await ask(`/charts/escrow.svg?token=${usdc}&period=hour`)
  expect(chart.headers.get('content-type')).toBe('image/svg+xml')
  expect(await chart.text()).toContain('USDC')
  expect((await ask('/charts/escrow.svg?token=0xff')).status).toBe(404)
})

test('what moved most stands with what explains it', async () => {
  const page = await read('/escrows?period=hour')
  const [out = '', into = ''] = page.split('id="moves-in"')
  expect(out.indexOf('−1,500.25')).toBeLessThan(out.indexOf('−40.5'))
  expect(out).toContain('<a href="/transfers/t42">t42</a>')
  expect(out).toContain(`title="${mainHash}"`)
  expect(out).toMatch(/unexplained<\/span> <span class="muted">no transfer names it/)
  expect(textOf(into)).toContain('+75')
  const unexplained = textOf(await read('/escrows?period=hour&show=unexplained'))
  expect(unexplained).toContain('Unexplained movements of USDC, past hour')
  expect(unexplained).not.toContain('1,500.25')
})

test('what gives a failed deposit back says so, and is nobody to look for', async () => {
  const refund = (deps: WebDeps) => (
    deps.escrows.db
      .prepare(
        "UPDATE escrow_flows SET verdict = 'refund', reason = 'it gives a failed deposit back' WHERE verdict = 'unexplained'",
      )
      .run(),
    {}
  )
  expect(textOf(await read('/escrows?period=hour', refund))).toContain('it gives a failed deposit back')
  const unexplained = textOf(await read('/escrows?period=hour&show=unexplained', refund))
  expect(unexplained).not.toContain('it gives a failed deposit back')
  const story = await (await ask(`/api/escrows/${usdc}?period=hour`, refund)).json()
  expect(story).toMatchObject({ movements: { out: [{}, { verdict: 'refund', caseId: null }] } })
})

test('of a token that is not watched nothing is said', async () => {
  expect((await ask('/escrows?token=0xff')).status).toBe(404)
  expect((await ask('/api/escrows/0xff')).status).toBe(404)
})

test('without escrows, and without a node, the page says what to write', async () => {
  const none = (deps: WebDeps) => ({
    escrows: { ...deps.escrows, db: openDatabase(':memory:'), hasNode: false },
  })
  const page = await read('/escrows', none)
  expect(page).toContain('<code>bridge.escrows</code>')
  expect(page).toContain('<code>canonical.url</code>')
  expect(await (await ask('/api/escrows', none)).json()).toEqual({ escrows: [], hasNode: false })
})

test('movements of before the first start are said not to be known, where the period begins earlier', async () => {
  const firstStart = (minutes: number) => (deps: WebDeps) => {
    saveMeta(deps.escrows.db, firstStartName, String(deps.clock.now() - minutes * 60_000))
    const all = "UPDATE escrow_flows SET verdict = 'explained', unexplained = NULL"
    deps.escrows.db.prepare(all).run()
    return {}
  }
  const said =
    /is explained, or still looked for\. All movements are known from \S+ UTC on, and of those before it the ones in some 3,600 blocks, which are read for context\./
  const path = '/escrows?period=hour&show=unexplained'
  expect(textOf(await read(path, firstStart(20)))).toMatch(said)
  expect(textOf(await read(path, firstStart(90)))).toMatch(
    /is explained, or still looked for\. (?!All movements are known)/,
  )
})

test('a movement of before the first start stands above a line that says why it is there', async () => {
  const firstStart = (deps: WebDeps) => {
    saveMeta(deps.escrows.db, firstStartName, String(deps.clock.now()))
    return {}
  }
  const page = textOf(await read('/escrows?period=hour', firstStart))
  expect(page).toMatch(/Movements in this time: \d+\. All movements are known from/)
  expect(page).toContain('and of those before it the ones in some 3,600 blocks, which are read for context.')
})

test('the API gives the same as numbers', async () => {
  const story = (await (await ask(`/api/escrows/${usdc}?period=hour`)).json()) as Record<string, unknown>
  expect(story).toMatchObject({
    holds: '1200',
    owes: '999',
    baseline: { amount: '1000', isAssumed: true },
    places: [{ address: `0x${'ee'.repeat(20)}`, holds: '1200', height: 200 }],
    course: { period: 'hour', stepMs: 60_000 },
    movements: {
      count: 3,
      isCut: false,
      out: [{ amount: '-1500.25', transfers: ['t42'] }, { amount: '-40.5' }],
    },
  })
})
