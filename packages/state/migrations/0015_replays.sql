CREATE TABLE `operator_requests` (
	`request_id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL,
	`answer_json` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `worker_sequences` (
	`worker_id` text PRIMARY KEY NOT NULL,
	`sequence` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `turns` ADD `progress_sequence` integer;