/**
 * Reads 50,000 records from a local API, pages of 100, as the walk through history does, with 20 rules and with 200:
 * `npm run bench:ingest`.
 * The floor is the same pages fetched with bare undici, parsed, and inserted into one table, a commit a page.
 * Times are the thread's own CPU time, user and system, so that neither other work on the machine nor waiting for the
 * disk or for the pace counts. The API answers in a process of its own.
 */
import { note } from './support/figures.ts'
import { measureFloor, measureIngest, withApi } from './support/ingest.ts'

await withApi(async (url, folder) => {
  const floor = await measureFloor(url, folder)
  const { fresh, known } = await measureIngest(url, folder, 20)
  const many = await measureIngest(url, folder, 200)
  const unit = 'a second of CPU time'
  note({ name: 'new records', value: fresh, unit, floor, target: { atLeast: 10_000 } })
  note({
    name: 'new records, share of the floor',
    value: fresh / floor,
    unit: '',
    target: { atLeast: 0.35 },
  })
  note({ name: 'records seen before', value: known, unit, floor })
  note({
    name: 'records seen before, share of the floor',
    value: known / floor,
    unit: '',
    target: { atLeast: 0.8 },
  })
  note({
    name: 'a new record with 200 rules against 20',
    value: fresh / many.fresh,
    unit: 'times',
    target: { atMost: 1.5 },
  })
})
