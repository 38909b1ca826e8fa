CREATE TABLE `issue_blockers` (
	`repo_id` integer NOT NULL,
	`issue_number` integer NOT NULL,
	`count` integer NOT NULL,
	`open_json` text,
	`listed` integer DEFAULT 0 NOT NULL,
	`etag` text,
	`listed_at` integer,
	PRIMARY KEY(`repo_id`, `issue_number`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
