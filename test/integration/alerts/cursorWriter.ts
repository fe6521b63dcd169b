// A process that writes cursors as fast as it can and says each one that is durable, until it is killed. Run by
// crashes.test.ts.
import { openState } from '../../../src/store/openState.ts'

const { cursors } = openState({ folder: process.argv[2] ?? '', since: 1_000, now: 5_000 })
for (;;) {
  const now = cursors.read()
  const page = now.sweep.page + 1
  cursors.write({ ...now, sweep: { ...now.sweep, page } })
  process.stdout.write(`${page}\n`)
}
