import { damageLog, damages } from '../../test/support/damage.ts'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProgram } from '../../test/support/realMonitor.ts'
import type { Scene } from './scene.ts'
import { demand, type Torture } from './torture.ts'

const ledgerOf = (scene: Scene) => join(scene.state, 'ledger.sqlite')
const toldDamage = ({ inbox }: Scene) =>
  inbox.messages.filter(({ text }) => text.includes('the ledger is damaged'))

/**
 * The ledger is broken under the daemon: it ends with 2 and says so once. Or what was broken was about to be written anew,
 * and nothing was lost: then it goes on, and its ledger is whole.
 */
const damagedWhileRunning = Object.entries(damages).map(
  ([name, damage]): Torture => ({
    name: `damaged while running: ${name}`,
    async run(scene) {
      const daemon = await scene.start()
      await scene.allTold([scene.addFailure()])
      const beganAt = performance.now()
      damage(ledgerOf(scene))
      const code = await Promise.race([daemon.ended, sleep(70_000, 'goes on' as const)])
      if (code === 'goes on') {
        await scene.allTold(await scene.addFailures(3, 500))
        await endProgram(daemon)
        demand(isWhole(ledgerOf(scene)), 'it went on with a ledger that is damaged')
        return 'written over: nothing lost'
      }
      demand(code === 2, `it ended with ${code}, not with 2`)
      demand(toldDamage(scene).length === 1, `the damage was told ${toldDamage(scene).length} times`)
      return `ended with 2 and told after ${((performance.now() - beganAt) / 1_000).toFixed(0)} s`
    },
  }),
)

function isWhole(path: string): boolean {
  const ledger = new DatabaseSync(path, { readOnly: true })
  try {
    return Object.values(ledger.prepare('PRAGMA integrity_check').get() ?? {})[0] === 'ok'
  } catch {
    return false
  } finally {
    ledger.close()
  }
}

/** Faults of the disk and of the files on it. */
export const diskTortures: readonly Torture[] = [
  ...damagedWhileRunning,
  {
    name: 'the write-ahead log is overwritten while running',
    async run(scene) {
      await scene.start()
      await scene.allTold([scene.addFailure()])
      damageLog(ledgerOf(scene))
      const failures = await scene.addFailures(5, 500)
      await scene.allTold(failures)
      return 'all told'
    },
  },
]
