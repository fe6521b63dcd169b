import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { watchRules } from '../../../src/daemon/watchRules.ts'
import { createSystemClock } from '../../../src/lib/clock.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import type { AppConfig } from '../../../src/kernel/settings.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'
import { until } from '../../support/startMonitor.ts'

type Loaded = { readonly rules: readonly LoadedRule[] } | { readonly problems: readonly string[] }

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-rules-'))
  let reload = () => {}
  const rules = watchRules(
    { clock: createSystemClock(), log: createSilentLog() },
    {
      // Nothing else of it is read.
      config: { rulesDir: folder } as AppConfig,
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
  return { rules, write }
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
