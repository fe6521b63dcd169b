import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { parseDuration } from '../src/lib/duration.ts'
import { launchBrowser } from '../test/support/launchBrowser.ts'

// What the pages measure in a browser while the demo runs: height in screens, weight, first paint, console errors,
// sideways scrolling, and what axe finds against WCAG 2.2 AA. Ends with 1 where one of them is not as it should be.
//
// [scenario …]       default, outage, storm, nomad-2022
// --after 85s        how long the demo runs before the pages are looked at
// --width 360,1280   in px; each in light and dark
// --runs 3           how often each is opened: first paint is the median
// --only /           paths that begin so; a case, an alert and a transfer are found by themselves
// --out FOLDER       pictures go there
// --url http://…     what runs there is looked at, in place of a demo
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    after: { type: 'string', default: '85s' },
    width: { type: 'string', default: '360,768,1280' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string' },
    out: { type: 'string' },
    url: { type: 'string' },
  },
})

const mostBytes = 150_000
const mostPaintMs = 300
const screens: Readonly<Record<number, number>> = { 360: 740, 768: 1_024, 1_280: 800 }
const paths = [
  '/',
  '/cases',
  '/transfers',
  '/escrows?period=hour',
  '/alerts',
  '/alerts?show=events',
  '/breaks',
  '/silences',
  '/silences/new',
  '/rules',
  '/reports',
  '/outbox',
  '/audit',
  '/runbooks/transfer.stalled',
]
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** What opening a page reads and how long it takes to the first paint; what it reads again while it is open is not of it. */
const readLoading = `(async () => {
  const isOfPage = ({ initiatorType }) => !['fetch', 'eventsource', 'xmlhttprequest'].includes(initiatorType)
  const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].filter(isOfPage)
  const paint = await new Promise((resolve) => {
    const observer = new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
    })
    observer.observe({ type: 'paint', buffered: true })
    setTimeout(() => resolve(Infinity), 5_000)
  })
  return { paint, bytes: loaded.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0) }
})()`

if (values.out !== undefined) mkdirSync(values.out, { recursive: true })
const scenarios = positionals.length > 0 ? positionals : ['default', 'outage', 'storm', 'nomad-2022']
const browser = await launchBrowser()
console.log('| scenario | page | width | height, px | screens | kB | first paint, ms | faults |')
console.log('|---|---|---|---|---|---|---|---|')
let faulty = 0
for (const scenario of values.url === undefined ? scenarios : [])
  await startDemo(scenario, (url) => lookAt(url, scenario))
if (values.url !== undefined) await lookAt(values.url, 'running')
await browser.close()
console.log(
  `\nLoad of the machine at the end: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`,
)
process.exit(faulty > 0 ? 1 : 0)

async function startDemo(scenario: string, look: (url: string) => Promise<void>): Promise<void> {
  const demo = spawn(process.execPath, ['bin/spanwatch.js', 'demo', '--scenario', scenario], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await readUrl(demo.stdout)
    await sleep(parseDuration(values.after) ?? 0)
    await look(url)
  } finally {
    demo.kill('SIGTERM')
  }
}

async function lookAt(url: string, scenario: string): Promise<void> {
  const found = [...paths, ...(await findPaths(url))]
  // The status first: it is the page that changes.
  for (const path of found.filter((one) => values.only === undefined || isOf(one, values.only)))
    for (const width of values.width.split(',').map(Number))
      for (const scheme of ['light', 'dark'] as const) await measure({ url, path, width, scheme }, scenario)
}

function isOf(path: string, only: string): boolean {
  return only === '/' ? path === '/' : path.startsWith(only)
}

async function readUrl(output: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += String(chunk)
    const [, url] = /page[^\n]*?(http:\/\/127\.0\.0\.1:\d+)/i.exec(text) ?? []
    if (url === undefined) continue
    output.resume()
    return url
  }
  throw new Error(`the demo named no page: ${text}`)
}

/** One page of each kind that has one a subject. */
async function findPaths(url: string): Promise<string[]> {
  const read = async (path: string, pattern: RegExp) => {
    const [, name] = pattern.exec(await (await fetch(url + path)).text()) ?? []
    return name === undefined ? [] : [name]
  }
  const cases = await read('/cases', /href="(\/cases\/c\d+)"/)
  return [
    ...cases.flatMap((path) => [path, `${path}/findings`, `${path}/timeline`]),
    ...(await read('/alerts?show=all', /href="(\/alerts\/[0-9a-f]+)"/)),
    ...(await read('/transfers', /href="(\/transfers\/[^"?]+)"/)),
  ]
}

interface View {
  readonly url: string
  readonly path: string
  readonly width: number
  readonly scheme: 'light' | 'dark'
}

async function measure(view: View, scenario: string): Promise<void> {
  const { path, width, scheme } = view
  const screen = screens[width] ?? 800
  const faults: string[] = []
  const paints: number[] = []
  for (let run = 1; run < Number(values.runs); run += 1) {
    const page = await openView(view, faults)
    paints.push((await page.evaluate<{ paint: number }>(readLoading)).paint)
    await page.context().close()
  }
  const page = await openView(view, faults)
  const { paint, bytes } = await page.evaluate<{ paint: number; bytes: number }>(readLoading)
  const median = [...paints, paint].toSorted((a, b) => a - b)[Math.floor(paints.length / 2)] ?? paint
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  if (Number(await page.evaluate('document.documentElement.scrollWidth')) > width)
    faults.push('scrolls sideways')
  if (bytes > mostBytes) faults.push('too heavy')
  if (median > mostPaintMs) faults.push('slow first paint')
  if (values.out !== undefined) {
    const name = `${scenario}${path === '/' ? '-status' : path.replace(/\W+/g, '-').slice(0, 24)}-${width}-${scheme}.png`
    await page.screenshot({ path: join(values.out, name), fullPage: height < 12_000 })
  }
  faults.push(...(await findViolations(page)))
  faulty += faults.length
  console.log(
    `| ${scenario} | ${path.slice(0, 24)} | ${width} ${scheme} | ${height} | ${(height / screen).toFixed(1)} | ${Math.ceil(bytes / 1_000)} | ${Math.round(median)} | ${faults.join('; ').slice(0, 300)} |`,
  )
  await page.context().close()
}

/** Loaded to its end, in a browser that has seen nothing of it. */
async function openView({ url, path, width, scheme }: View, faults: string[]): Promise<Page> {
  const page = await openPage(browser, { width, height: screens[width] ?? 800, scheme })
  page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`))
  page.on('pageerror', (error) => faults.push(error.message))
  await page.goto(url + path)
  await page.waitForLoadState('load')
  await sleep(200)
  return page
}

async function openPage(
  from: Browser,
  {
    width,
    height,
    scheme,
  }: { readonly width: number; readonly height: number; readonly scheme: 'light' | 'dark' },
): Promise<Page> {
  const context = await from.newContext({ viewport: { width, height }, colorScheme: scheme })
  return context.newPage()
}

async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] })`,
  )
  return violations.map(({ id, nodes }) => `axe ${id} ${nodes.length}: ${nodes[0]?.html.slice(0, 80)}`)
}
