// npm run bench:attack [words]: each attack against the real process, those whose names hold all words when some are
// given. Loopback only. Ends with 1 when one got through. A new attack is a row of a list in bench/attacks.
import { accessAttacks } from './attacks/access.ts'
import { answerAttacks } from './attacks/answers.ts'
import { type Attack, bounds, openTarget, undergo } from './attacks/attack.ts'

const attacks: readonly Attack[] = [...answerAttacks, ...accessAttacks]

const words = process.argv.slice(2)
const chosen = attacks.filter(({ name }) => words.every((word) => name.includes(word)))
const target = await openTarget()
const failed: string[] = []
console.log(`${'attack'.padEnd(68)} peak MB  /readyz ms`)
try {
  for (const attack of chosen) {
    const { problem, peakMegabytes, slowestReadyMs } = await undergo(target, attack)
    if (problem !== null) failed.push(attack.name)
    const figures = `${peakMegabytes.toFixed(0).padStart(7)} ${slowestReadyMs.toFixed(0).padStart(11)}`
    console.log(`${attack.name.padEnd(68)} ${figures}${problem === null ? '' : `  FAILED: ${problem}`}`)
  }
} finally {
  await target.close()
}
console.log(
  `${chosen.length - failed.length} of ${chosen.length} held (below ${bounds.peakMegabytes} MB, /readyz within ${bounds.readyMs} ms)`,
)
if (failed.length > 0 || chosen.length === 0) process.exitCode = 1
