/**
 * Gives random texts to whatever reads texts of others: `node bench/fuzz.ts --count 200000 --seed 1 --only matchers`.
 * Prints a table and ends with 1 when one crashes, takes more than a second, or is answered with what nobody wrote.
 * Each input follows from the seed and its number alone.
 */
import { parseArgs } from 'node:util'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { mix, seedFromText } from '../src/sandbox/random.ts'
import { type FuzzTarget, fuzzTargets } from './support/fuzzTargets.ts'

interface Job {
  readonly name: string
  readonly count: number
  readonly seed: number
  /** How many were answered, for whoever watches. */
  readonly done: Int32Array<SharedArrayBuffer>
}

interface Found {
  readonly crashes: number
  readonly hangs: number
  readonly invented: number
  readonly slowestMs: number
  readonly examples: readonly string[]
}

const hangMs = 1_000
const patienceMs = 60_000

if (isMainThread) process.exitCode = await main()
// What it hands over is a thread's, not a window's.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
else parentPort?.postMessage(await work(workerData as Job))

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '2000' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
    },
  })
  const [count, seed] = [Number(values.count), Number(values.seed)]
  let failed = false
  console.log(
    `seed ${seed}\n\n| input | count | crashes | over 1 s | invented | slowest |\n|---|---|---|---|---|---|`,
  )
  for (const { name } of fuzzTargets.filter(
    ({ name: one }) => values.only === undefined || one === values.only,
  )) {
    const found = await watch({ name, count, seed, done: new Int32Array(new SharedArrayBuffer(4)) })
    const { crashes, hangs, invented, slowestMs, examples } = found
    failed ||= crashes + hangs + invented > 0
    console.log(
      `| ${name} | ${count.toLocaleString('en-US')} | ${crashes} | ${hangs} | ${invented} | ${Math.round(slowestMs)} ms |`,
    )
    for (const example of examples) console.error(example)
  }
  return failed ? 1 : 0
}

/** Runs a job in a thread of its own; an input that never ends is a hang, and the rest of its job is not run. */
function watch(job: Job): Promise<Found> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: job })
    let last = { count: 0, at: performance.now() }
    const timer = setInterval(() => {
      const count = Atomics.load(job.done, 0)
      if (count !== last.count) last = { count, at: performance.now() }
      else if (performance.now() - last.at > patienceMs) {
        void worker.terminate()
        end({
          crashes: 0,
          hangs: 1,
          invented: 0,
          slowestMs: patienceMs,
          examples: [`${job.name} #${count} never ends`],
        })
      }
    }, hangMs)
    const end = (found: Found) => {
      clearInterval(timer)
      resolve(found)
    }
    worker.once('message', end)
    worker.once('error', (error) => {
      clearInterval(timer)
      reject(error)
    })
  })
}

async function work({ name, count, seed, done }: Job): Promise<Found> {
  const target = fuzzTargets.find((one) => one.name === name)
  if (target === undefined) throw new Error(`no target ${name}`)
  const found = { crashes: 0, hangs: 0, invented: 0, slowestMs: 0, examples: [] as string[] }
  const note = (what: 'crashes' | 'hangs' | 'invented', at: number, said: string, text: string) => {
    found[what] += 1
    if (found.examples.length < 5)
      found.examples.push(`${name} #${at}: ${said}: ${JSON.stringify(text.slice(0, 2_000))}`)
  }
  const run = async (at: number, text: string): Promise<number> => {
    const began = performance.now()
    try {
      const problem = await target.run(text)
      if (problem !== null) note('invented', at, problem, text)
    } catch (error) {
      note('crashes', at, String(error), text)
    }
    return performance.now() - began
  }
  for (let at = 0; at < count; at++) {
    const text = createText(target, seed, at)
    const tookMs = await run(at, text)
    // Once more where the machine was busy with something else.
    const ownMs = tookMs > hangMs ? Math.min(tookMs, await run(at, text)) : tookMs
    found.slowestMs = Math.max(found.slowestMs, ownMs)
    if (ownMs > hangMs) note('hangs', at, `${Math.round(ownMs)} ms`, text)
    Atomics.add(done, 0, 1)
  }
  return found
}

/** One of the seeds, cut, joined, repeated and strewn with words and characters of any kind. */
function createText({ name, seeds, words }: FuzzTarget, seed: number, at: number): string {
  let drawn = 0
  const draw = (below: number) => mix(seedFromText(name) ^ seed, at, drawn++) % below
  const pick = (from: readonly string[]) => from[draw(from.length)] ?? ''
  let text = pick(seeds)
  for (let edits = 1 + draw(8); edits > 0; edits--) {
    const [from, length] = [draw(text.length + 1), draw(30)]
    const part = text.slice(from, from + length)
    const edit = [
      () => text.slice(0, from) + pick(words) + text.slice(from),
      () => text.slice(0, from) + text.slice(from + length),
      () => text.slice(0, from) + part.repeat(1 + draw(20)) + text.slice(from + length),
      () => text.slice(0, from) + pick(seeds).slice(draw(40)) + text.slice(from),
      () => text.slice(0, from) + pick(words).repeat(1 + draw(200)) + text.slice(from),
      () => text.slice(0, from) + String.fromCharCode(draw(0x10000)) + text.slice(from + 1),
    ][draw(6)]
    text = (edit?.() ?? text).slice(0, 20_000)
  }
  return text
}
