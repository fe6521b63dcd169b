import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { watchRules } from '../../../src/daemon/watchRules.ts'
import { createScaledClock, createSystemClock } from '../../../src/lib/clock.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import type { AppConfig } from '../../../src/kernel/settings.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'
import { noBridge } from '../../support/appConfig.ts'
import { until } from '../../support/startMonitor.ts'

type Loaded = { readonly rules: readonly LoadedRule[] } | { readonly problems: readonly string[] }

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-rules-'))
  let reload = () => {}
  const warned: string[] = []
  const silent = createSilentLog()
  const log = { ...silent, warn: (...said: unknown[]) => void warned.push(JSON.stringify(said)) }
  const rules = watchRules(
    { clock: createSystemClock(), log: log as typeof silent },
    {
      // Nothing else of it is read.
      config: { rulesDir: folder, bridge: noBridge } as AppConfig,
      rules: [],
      onReload(callback) {
        reload = callback
        return () => undefined
      },
    },
  )
  onTestFinished(() => {
    rules.stop()
    rmSync(folder, { recursive: true })
  })
  const write = (text: string) => {
    writeFileSync(join(folder, 'rules.yaml'), text)
    reload()
  }
  return { rules, warned, write }
}

const good = 'rules: [{ name: own, on: transfer.failed, severity: critical }]'

function createTaker() {
  const taken: Loaded[] = []
  return { taken, setRules: (loaded: Loaded) => void taken.push(loaded) }
}

test('an edit while no monitor runs is in force in the next one', async () => {
  const { rules, write } = open()
  write(good)
  await until(() => rules.current().some(({ name }) => name === 'own'), 10_000)
})

test('a monitor gets what is read, until it is detached', async () => {
  const { rules, write } = open()
  const one = createTaker()
  const other = createTaker()
  const detach = rules.attach(one)
  detach()
  rules.attach(other)
  write(good)
  await until(() => other.taken.length > 0, 10_000)
  expect(one.taken).toEqual([])
})

test('what an edit asks for in vain is logged', async () => {
  const { rules, warned, write } = open()
  write('rules: [{ name: own, on: transfer.stalled, unless: open("escrow.drift") }]')
  await until(() => rules.current().length > 0, 10_000)
  expect(warned.join('\n')).toContain('no rule is on `escrow.drift`')
})

test('a refused edit keeps the rules, and the next monitor is told why', async () => {
  const { rules, write } = open()
  const first = createTaker()
  rules.attach(first)
  write('rules: [{ nam: own }]')
  await until(() => first.taken.length > 0, 10_000)
  const next = createTaker()
  rules.attach(next)
  expect(next.taken).toEqual(first.taken)
  expect(rules.current()).toEqual([])
})

describe('an edit is in force by itself', () => {
  /** Rules in a folder below one of its own, by a clock that takes a hundredth of the time. */
  function openFolder() {
    const base = mkdtempSync(join(tmpdir(), 'spanwatch-rules-'))
    const folder = join(base, 'rules')
    const watched: { rules?: ReturnType<typeof watchRules> } = {}
    onTestFinished(() => {
      watched.rules?.stop()
      rmSync(base, { recursive: true })
    })
    return {
      base,
      folder,
      write: (name: string, into = folder) => {
        mkdirSync(into, { recursive: true })
        writeFileSync(join(into, 'rules.yaml'), ruleNamed(name))
      },
      watch: async () => {
        const clock = createScaledClock(100)
        let looks = 0
        const sleep: typeof clock.sleep = (ms, signal) => {
          looks += 1
          return clock.sleep(ms, signal)
        }
        const rules = watchRules(
          { clock: { ...clock, sleep }, log: createSilentLog() },
          // Nothing else of it is read.
          {
            config: { rulesDir: folder, bridge: noBridge } as AppConfig,
            rules: [],
            onReload: () => () => undefined,
          },
        )
        watched.rules = rules
        await until(() => looks > 0, 10_000)
        return { rules, isInForce: (name: string) => until(() => isOf(rules, name), 10_000) }
      },
    }
  }

  const ruleNamed = (name: string) => `rules: [{ name: ${name}, on: transfer.failed, severity: critical }]`
  const isOf = (rules: ReturnType<typeof watchRules>, wanted: string) =>
    rules.current().some(({ name }) => name === wanted)

  test('in a folder that was removed and put back', async () => {
    const { folder, write, watch } = openFolder()
    write('first')
    const { rules, isInForce } = await watch()
    const app = createTaker()
    rules.attach(app)
    rmSync(folder, { recursive: true })
    await until(() => app.taken.some((one) => 'problems' in one), 10_000)
    write('second')
    await isInForce('second')
    write('third')
    await isInForce('third')
  })

  test('in a folder that took the place of another', async () => {
    const { base, folder, write, watch } = openFolder()
    write('first')
    const { isInForce } = await watch()
    write('second', join(base, 'next'))
    renameSync(folder, join(base, 'before'))
    renameSync(join(base, 'next'), folder)
    await isInForce('second')
    write('third')
    await isInForce('third')
  })

  test('where the folder is a link that leads elsewhere', async () => {
    const { base, folder, write, watch } = openFolder()
    write('first', join(base, '1'))
    write('second', join(base, '2'))
    symlinkSync(join(base, '1'), folder)
    const { isInForce } = await watch()
    symlinkSync(join(base, '2'), join(base, 'link'))
    renameSync(join(base, 'link'), folder)
    await isInForce('second')
  })

  test('of a file that a link leads to', async () => {
    const { base, folder, write, watch } = openFolder()
    write('first', base)
    mkdirSync(folder)
    symlinkSync(join(base, 'rules.yaml'), join(folder, 'own.yaml'))
    const { isInForce } = await watch()
    write('second', base)
    await isInForce('second')
  })
})
