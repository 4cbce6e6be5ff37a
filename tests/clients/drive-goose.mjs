// goose without a screen, with a scripted model: one session that makes all calls of the calls file, the server as an
// extension of its configuration.
import { MARK, SERVER, checkRefusals, checkWire, client, drive, finish, options, run } from './lib.mjs';

const o = options();
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const goose = o.installed(`@aaif/goose-binary-linux-${arch}/bin/goose`);
const env = { OPENAI_API_KEY: 'dummy', GOOSE_DISABLE_KEYRING: '1', GOOSE_TELEMETRY_OFF: '1' };
client(`goose ${(await run(o, goose, ['--version'], env)).out.trim()}`);
const name = (call, offered) => offered.find((tool) => tool === `${SERVER}__${call.tool}`);
await drive(o, name, (url) => {
	// YAML, of which JSON is a part.
	o.file('home/.config/goose/config.yaml', {
		GOOSE_PROVIDER: 'openai',
		GOOSE_MODEL: 'fake-model',
		GOOSE_MODE: 'auto',
		OPENAI_HOST: url,
		GOOSE_TELEMETRY_ENABLED: false,
		extensions: {
			[SERVER]: {
				enabled: true,
				type: 'stdio',
				name: SERVER,
				description: 'asks the runner',
				cmd: o.recorded[0],
				args: o.recorded.slice(1),
				envs: {},
				env_keys: [],
				timeout: 60,
				bundled: null,
			},
		},
	});
	return run(o, goose, ['run', '--no-session', '-t', `${MARK} go`], env);
});
checkRefusals(o, checkWire(o));
finish();
