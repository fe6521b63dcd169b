import type { Command } from 'commander'
import type { Io } from './io.ts'

export function addInit(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command('init')
    .description('ask for the explorer, try it, find what belongs to the bridge, and write a configuration')
    .option('--explorer <url>', 'address of the explorer API, or of any request to it')
    .option('--main <name>', 'short name of the main chain, where the explorer does not tell it')
    .option('--zone <name>', 'short name of the zone chain')
    .option(
      '--dialect <words>',
      "words of its paths, and the beginning of its headers' names: main,zone,ACME",
    )
    .option('--auth <prefix>', 'credentials are in PREFIX_KEY, PREFIX_SECRET and PREFIX_PASSPHRASE')
    .option('--preconf <url>', "preconfirmation RPC, or '${NAME}' of a variable that holds its address")
    .option('--canonical <url>', "RPC of the main chain as a second source, or '${NAME}' alike")
    .option(
      '--slack <variable>',
      "alerts go to Slack: '${NAME}' of the variable that holds the webhook's address",
    )
    .option('--teams <variable>', 'to Microsoft Teams, alike')
    .option('--discord <variable>', 'to Discord, alike')
    .option('--webhook <variable>', 'to a webhook of your own, alike')
    .option('--timeout <duration>', 'of a request to the explorer', '10s')
    .option('--out <file>', 'where it is written', './spanwatch.yaml')
    .option('--yes', 'ask nothing: options say all of it')
    .option('--force', 'replace the file')
    .addHelpText(
      'after',
      "\nOn a terminal it asks for what is not given; in a pipe it asks nothing. No secret is written into the file.\n\nExamples:\n  spanwatch init\n  spanwatch init --explorer https://explorer.example.com --main MAINCHAIN --zone ZONE_CHAIN --slack '${SLACK_WEBHOOK_URL}' --yes\n",
    )
    .action(async (options) => finish(await (await import('./init.ts')).init(io, options)))
}
