CREATE TABLE `worker_tokens` (
	`id` integer PRIMARY KEY NOT NULL,
	`turn_key` text NOT NULL,
	`attempt` integer NOT NULL,
	`sealed` text NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL
);
