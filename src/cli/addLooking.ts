import { Command } from 'commander'
import { config, type Finish } from './commandOptions.ts'
import type { Io } from './io.ts'

export function addLooking(program: Command, io: Io, finish: Finish): void {
  const transfers = program.command('transfers').description('search the ledger')
  transfers
    .command('list')
    .description('transfers, newest first')
    .argument('[search]', 'a hash, an address, an id or a key')
    .addOption(config())
    .option('--hash <hash>', 'transaction hash of either chain, id or key')
    .option('--address <address>', 'source or target address')
    .option('--token <token>', 'symbol of bridge.tokens, token contract, or native')
    .option('--min-amount <amount>', 'at least so much, in token units; what nobody knows may be as much')
    .option('--since <time>', 'left since: a duration back such as 6h, or an ISO time')
    .option('--until <time>', 'left until then, as --since')
    .option('--state <state>', 'pending, completed, failed or unbacked')
    .option('--direction <direction>', 'MainToZone or ZoneToMain')
    .option('--older-than <duration>', 'left at least so long ago, such as 30m')
    .option('--limit <n>', 'how many at most', '50')
    .option('--json', 'print JSON, amounts as decimal strings')
    .option('--csv', 'print CSV')
    .addHelpText(
      'after',
      '\nExamples:\n  spanwatch transfers list --state pending --older-than 30m\n  spanwatch transfers list --token USDC --min-amount 10000 --since 7d\n  spanwatch transfers list --since 2026-03-07 --until 2026-03-08 --csv\n',
    )
    .action(async (search: string | undefined, options) =>
      finish((await import('./transfers.ts')).listTransfers(io, search, options)),
    )
  transfers
    .command('show')
    .description('the whole story of a transfer, or of all of a transaction')
    .argument('<name>', 'a key, an id or a hash')
    .addOption(config())
    .option('--json', 'print JSON')
    .action(async (name: string, options) =>
      finish((await import('./showTransfers.ts')).showTransfers(io, name, options)),
    )
  program
    .command('learned')
    .description('what transfers taught of the bridge, how sure it is, and what says otherwise')
    .addOption(config())
    .option('--json', 'print JSON')
    .action(async (options) => finish((await import('./learned.ts')).showLearned(io, options)))
  const cursors = program.command('cursors').description('see and move cursors')
  cursors
    .command('show')
    .description('how far each reading has come')
    .addOption(config())
    .option('--json', 'print JSON')
    .action(async (options) => finish((await import('./cursors.ts')).showCursors(io, options)))
  cursors
    .command('rewind')
    .description('read the list again back to a time')
    .addOption(config())
    .requiredOption('--to <time>', 'a duration such as 24h, an ISO time, or genesis')
    .option('--by <name>', 'who; the user of this machine when left out')
    .option('--json', 'print JSON')
    .action(async (options) => finish(await (await import('./cursors.ts')).rewindCursors(io, options)))
}
