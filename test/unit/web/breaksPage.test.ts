import { expect, test } from 'vitest'
import { readBreakQuery } from '../../../src/web/readBreakQuery.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { createFakeWeb, type FakeWeb } from './support/fakeWeb.ts'
import { entry, openBreak } from './support/fakeViews.ts'

function open(given: Partial<Pick<FakeWeb, 'breaks' | 'entries'>> = {}) {
  const web = Object.assign(createFakeWeb(), given)
  const app = createWebApp(web.deps, { listenHost: '127.0.0.1', token: null })
  return async (path: string) => {
    const response = await app.request(`http://127.0.0.1:9464${path}`, {
      headers: { host: '127.0.0.1:9464', accept: 'text/html' },
    })
    const { status, headers } = response
    return { status, text: await response.text(), location: headers.get('location') }
  }
}

test('the page shows each break with what is left, what is known, and how to settle it', async () => {
  const { text } = await open()('/breaks')
  expect(text.replaceAll(/<\/?span[^>]*>/g, '')).toContain('2,000.5 of 12,000.5 USDC')
  expect(text).toContain('what is left beside e3')
  expect(text).toContain('href="/transfers/t42"')
  expect(text).toContain('href="/cases/c7"')
  expect(text).toContain('no main transaction; origin not verified')
  expect(text).toContain('action="/breaks/write-off"')
  expect(text).toContain('<summary>Settle by hand<span class="hidden"> t42</span></summary>')
  expect(text).toContain('href="/breaks?origin=t42#match"')
  expect(text).toContain('id="e3"')
  expect(text).toContain('The payout is 2,000.5 less than the origin.')
  expect(text).toContain('action="/breaks/undo"')
})

test('the search leads to an entry that there is', async () => {
  expect((await open()('/search?q=%23E3')).location).toBe('/breaks?before=4#e3')
  expect((await open()('/search?q=e4')).location).not.toContain('/breaks')
})

test('what is to be matched is filled in', async () => {
  const { text } = await open()('/breaks?payout=t4&origin=t42')
  expect(text).toMatch(/name="payout" value="t4"/)
  expect(text).toMatch(/name="origin" value="t42"/)
})

test('what was taken back cannot be taken back again', async () => {
  const undone = { ...entry, undoneBy: 'e4' }
  const undoing = { ...entry, id: 'e4', what: 'taken back', undoes: 'e3', undoneBy: null } as const
  const { text } = await open({ entries: [undoing, undone] })('/breaks')
  expect(text).not.toContain('action="/breaks/undo"')
  expect(text).toContain('taken back by <a href="#e4">e4</a>')
})

test('a token that nobody lists is said, not shown as nothing', async () => {
  const { status, text } = await open()('/breaks?token=USDX')
  expect(status).toBe(400)
  expect(text).toContain('token: bridge.tokens lists no token `USDX`, did you mean `USDC`?')
  expect((await open()('/breaks?token=usdc')).status).toBe(200)
})

test('text from the chain is escaped wherever it stands', async () => {
  const hostile = '<script>alert(1)</script>" onload="x'
  const token = { address: hostile, symbol: null, name: hostile }
  const one = {
    ...openBreak,
    token,
    name: hostile,
    remark: hostile,
    transferKey: null,
    mainHash: hostile,
    zoneHash: hostile,
    source: hostile,
    target: hostile,
    evidence: hostile,
  }
  const [share] = entry.shares
  const made = {
    ...entry,
    who: hostile,
    reason: hostile,
    from: hostile,
    shares: share ? [{ ...share, name: `0xe:0xt:${hostile}`, token }] : [],
  }
  const sum = {
    token: hostile,
    symbol: null,
    inBaseUnits: true,
    open: { count: 1, amount: '1', unknown: 1 },
    settled: { count: 0, amount: '0' },
    oldestAt: null,
  }
  const read = open({ breaks: { breaks: [one], total: 1, sums: [sum], isCut: true }, entries: [made] })
  const { text } = await read(`/breaks?payout=${encodeURIComponent(hostile)}`)
  expect(text).toContain('There are more than are read at once')
  const refused = await read(`/breaks?token=${encodeURIComponent(hostile)}`)
  for (const page of [text, refused.text]) {
    expect(page).not.toContain('<script>')
    expect(page).not.toContain('onload="')
  }
})

test('a filter that is not understood is said, and no list is shown', async () => {
  const { status, text } = await open()('/breaks?min=lots')
  expect(status).toBe(400)
  expect(text).toContain('min: expected an amount such as 1000.5')
  expect(text).not.toContain('action="/breaks/write-off"')
  expect(JSON.parse((await open()('/api/breaks?age=old')).text)).toEqual({
    code: 'usage',
    error: 'age: expected a duration such as 30m or 2d',
  })
})

test('the API gives the list, its sums, where it goes on, and the entries', async () => {
  const breaks = { breaks: [openBreak], total: 3, sums: [], isCut: false }
  const { text } = await open({ breaks })('/api/breaks?limit=1&cursor=1')
  expect(JSON.parse(text)).toEqual({ ...breaks, next: '2', entries: [entry] })
})

test.each([
  ['state', 'lost', 'state: expected one of open, settled, all'],
  ['sort', 'name', 'sort: expected age or amount'],
  ['min', '-1', 'min: expected an amount such as 1000.5'],
  ['age', '5', 'age: expected a duration such as 30m or 2d'],
  ['limit', '501', 'limit: expected 1 to 500'],
  ['cursor', 'x', 'cursor: expected the "next" of the page before'],
])('%s=%s is refused', (name, value, problem) => {
  expect(readBreakQuery((asked) => (asked === name ? value : undefined))).toMatchObject({
    query: null,
    problem,
  })
})
