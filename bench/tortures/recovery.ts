import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { damages } from '../../test/support/damage.ts'
import { until } from '../../test/support/startMonitor.ts'
import { listBackups } from '../../src/store/backups.ts'
import { isDoubted, type Scene } from './scene.ts'
import { demand, type Torture } from './torture.ts'

const ledgerOf = (scene: Scene) => join(scene.state, 'ledger.sqlite')

/** What is not told yet is told without a doubt, what was told may be told again with one. */
function assertMarked(scene: Scene, before: readonly string[], after: readonly string[]): number {
  const doubted = (failure: string, at: number) => isDoubted(scene.naming(failure)[at]?.text ?? '', failure)
  demand(!before.some((failure) => doubted(failure, 0)), 'a first message says that it was sent before')
  demand(!after.some((failure) => doubted(failure, 0)), 'what came afterwards says that it was sent before')
  return before.filter((failure) => scene.naming(failure).length > 1).length
}

const recovered = (name: string, spoil: (scene: Scene) => void): Torture => ({
  name: `F86: damaged with backups.recover: ${name}`,
  options: { more: { backups: { recover: true } } },
  async run(scene) {
    const daemon = await scene.start()
    await until(() => listBackups(scene.state, Date.now()).length > 0)
    const before = await scene.addFailures(10, 500)
    await scene.allTold(before)
    spoil(scene)
    damages['overwritten pages']?.(ledgerOf(scene))
    const damagedAt = performance.now()
    const meanwhile = await scene.addFailures(10, 500)
    // Looked through each 30 s at least, or for a hundredth of the time: a busy machine takes longer.
    await scene.toldOf('goes on from the backup of 20', 180_000)
    const told = (performance.now() - damagedAt) / 1_000
    await scene.allTold([...before, ...meanwhile])
    await until(() => daemon.stderr().split('"page"').length > 2)
    // Withdrawn now: what was withdrawn before the ledger was put back may have been told before.
    const after = Array.from({ length: 5 }, () => scene.addFailure(60_000))
    await scene.allTold(after)
    await until(() => before.every((failure) => scene.naming(failure).length > 1)).catch(() => undefined)
    demand(daemon.isRunning(), 'the process ended')
    const again = assertMarked(scene, before, after)
    return `gone on from a backup after ${told.toFixed(0)} s, 25 of 25 failures told, ${again} again and marked`
  },
})

/** Faults of the ledger that it goes on from. */
export const recoveryTortures: readonly Torture[] = [
  recovered('the newest is good', () => undefined),
  recovered('the newest is damaged too', ({ state }) => {
    const [newest] = listBackups(state, Date.now())
    const path = join(state, 'backups', `ledger-${Date.now()}.sqlite`)
    copyFileSync(newest?.path ?? '', path)
    damages['overwritten pages']?.(path)
  }),
  {
    name: 'F84: the write-ahead log is deleted after kill -9',
    async run(scene) {
      const failures: string[] = []
      for (let round = 0; round < 6; round += 1) {
        const daemon = await scene.start()
        failures.push(...(await scene.addFailures(8, 500)))
        await sleep(Math.random() * 2_000)
        daemon.kill('SIGKILL')
        await daemon.ended
        for (const name of readdirSync(scene.state))
          if (/-(wal|shm)$/.test(name)) rmSync(join(scene.state, name))
        failures.push(scene.addFailure())
      }
      await scene.start()
      await scene.allTold(failures)
      await sleep(5_000)
      const again = failures.filter((failure) => scene.naming(failure).length > 1).length
      return `${failures.length} of ${failures.length} failures told over 6 losses, ${again} again and marked`
    },
  },
]
